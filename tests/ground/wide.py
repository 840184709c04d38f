"""Rulesheets whose relations are wider than anybody asks: they must ground all the same."""

from __future__ import annotations

from itertools import pairwise


def _numbers(last: int) -> str:
    """Return the facts that count from 0 to a number."""
    return " ".join(f"(succ {n} {n + 1})" for n in range(last))


_NINE = range(1, 10)
_CELLS = " ".join(f"?c{n}" for n in _NINE)

FIRST_OF_NINE = f"""
(role robot) {" ".join(f"(value v{n})" for n in range(8))}
{_numbers(9)} (init (step 0)) {" ".join(f"(init (cell {n} v0))" for n in _NINE)}
(<= (legal robot (set ?n ?v)) (true (cell ?n v0)) (some ?v)) (some v1) (some v2)
(<= (next (cell ?n ?v)) (does robot (set ?n ?v)))
(<= (next (cell ?n ?v)) (true (cell ?n ?v)) (does robot (set ?m ?w)) (distinct ?m ?n))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= terminal (true (step 4)))
{
    " ".join(
        f"(<= (exactly {n} {_CELLS}) (same ?c{n} v1) "
        + " ".join(f"(value ?c{m}) (not (same ?c{m} v1))" for m in _NINE if m != n)
        + ")"
        for n in _NINE
    )
}
(<= (same ?v ?v) (value ?v))
(<= (only ?n) {" ".join(f"(true (cell {n} ?c{n}))" for n in _NINE)} (exactly ?n {_CELLS}))
(<= (goal robot 100) (only 1)) (<= (goal robot 50) (only ?n) (distinct ?n 1))
(<= (goal robot 0) (not lonely)) (<= lonely (only ?n))
"""
"""Exactly the first of nine cells is marked: ten arguments, 40 million rows of eight values."""

ITEMS = 9

LISTS = f"""
(role robot) {" ".join(f"(item i{n})" for n in range(ITEMS))} {_numbers(8)}
(init (rest {"".join(f"(cons i{n} " for n in range(8))}nil{")" * 8}))
(init (step 0))
(list nil 0)
(<= (list (cons ?x ?tail) ?n) (item ?x) (succ ?m ?n) (list ?tail ?m))
(<= (member ?x (cons ?x ?tail)) (list (cons ?x ?tail) ?n))
(<= (member ?x (cons ?y ?tail)) (list (cons ?y ?tail) ?n) (member ?x ?tail))
(<= (without ?x (cons ?x ?tail) ?tail) (list (cons ?x ?tail) ?n))
(<= (without ?x (cons ?y ?tail) (cons ?y ?left)) (list (cons ?y ?tail) ?n) (distinct ?x ?y)
    (without ?x ?tail ?left))
(<= (legal robot (take ?x)) (true (rest ?list)) (item ?x) (member ?x ?list))
(<= (legal robot wait) (true (step 0)))
(<= (next (rest ?left)) (true (rest ?list)) (does robot (take ?x)) (without ?x ?list ?left))
(<= (next (rest ?list)) (true (rest ?list)) (does robot wait))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal robot 100) (true (rest ?list)) (not (member i0 ?list)) (member i7 ?list))
(<= (goal robot 0) (true (rest ?list)) (member i0 ?list))
(<= (goal robot 50) (true (rest ?list)) (not (member i0 ?list)) (not (member i7 ?list)))
"""
"""Takes items from a list of eight: 48 million lists are as long as that, 256 can be met."""

_GUESSERS = tuple(f"r{n}" for n in range(1, 7))


def fractions(last: int) -> str:
    """Return who guessed about two thirds of the mean of six: sums of numbers up to a last one."""
    return f"""
{" ".join(f"(role {role})" for role in _GUESSERS)} {_numbers(last)} (number 0)
(<= (number ?n) (succ ?m ?n)) (init (round 0))
(<= (legal ?r (guess ?n)) (role ?r) (offered ?n)) (offered 0) (offered 5) (offered 9) (offered 20)
(<= (next (guessed ?r ?n)) (does ?r (guess ?n)))
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
(<= (plus ?x 0 ?x) (number ?x))
(<= (plus ?x ?y ?z) (succ ?v ?y) (plus ?x ?v ?w) (succ ?w ?z))
(<= (times 0 ?n 0) (number ?n))
(<= (times ?m ?n ?p) (succ ?l ?m) (times ?l ?n ?o) (plus ?o ?n ?p))
(<= (total ?s6) (true (guessed r1 ?n1)) (plus 0 ?n1 ?s1)
{" ".join(f"(true (guessed r{n} ?n{n})) (plus ?s{n - 1} ?n{n} ?s{n})" for n in range(2, 7))})
(<= (share ?r ?mine ?all) (true (guessed ?r ?n)) (total ?t) (times 9 ?n ?mine) (times 1 ?t ?all))
(<= (below ?r) (share ?r ?mine ?all) (plus ?mine ?d ?all) (near ?d))
(near 0) (<= (near ?n) (near ?m) (succ ?m ?n) (offered ?k) (plus ?n ?e ?k))
(<= (goal ?r 100) (below ?r)) (<= (goal ?r 0) (role ?r) (not (below ?r)))
(<= terminal (true (round 1)))
"""


def all_different(digits: int) -> str:
    """Return a puzzle of digits that are all different, of which there are as many as cells."""
    cells = range(1, digits + 1)
    row = " ".join(f"?d{n}" for n in cells)
    return f"""
(role robot) (init (step 0)) {_numbers(digits)}
(<= (digit ?n) (succ ?m ?n)) (<= (place ?n) (succ ?m ?n))
(<= (legal robot (write ?d)) (digit ?d))
(<= (next (cell ?b ?d)) (true (step ?a)) (succ ?a ?b) (does robot (write ?d)))
(<= (next (cell ?n ?d)) (true (cell ?n ?d)))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(<= terminal (true (step {digits})))
(<= (different {row}) {" ".join(f"(digit ?d{n})" for n in cells)}
{" ".join(f"(distinct ?d{m} ?d{n})" for n in cells for m in range(1, n))})
(<= (row {row}) {" ".join(f"(true (cell {n} ?d{n}))" for n in cells)})
(<= solved (row {row}) (different {row}))
(<= (goal robot 100) solved) (<= (goal robot 0) (not solved))
"""


_LETTERS = "abcdefghi"
_CODE = " ".join(f"?{letter}" for letter in _LETTERS)


def code_of_nine(definition: str, good: str) -> str:
    """Return a game in which nine digits of eight are written, good if some rule says so.

    Args:
        definition: clauses of ``(code ?a ... ?i)``, the same in every state.
        good: the condition.
    """
    return f"""
(role robot) {_numbers(10)} {" ".join(f"(digit {n})" for n in range(1, 9))} (init (step 1))
(<= (legal robot (write ?d)) (digit ?d))
(<= (next (cell ?m ?d)) (true (step ?m)) (does robot (write ?d)))
(<= (next (cell ?n ?d)) (true (cell ?n ?d)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 10)))
(<= (near ?x ?x) (digit ?x)) (<= (near ?x ?y) (digit ?x) (digit ?y) (succ ?x ?y))
{definition}
(<= good {good})
(<= (goal robot 100) good) (<= (goal robot 0) (not good))
"""


_DIGITS = " ".join(f"(digit ?{letter})" for letter in _LETTERS)
_PAIRS = [(x, y) for n, x in enumerate(_LETTERS) for y in _LETTERS[n + 1 :]]


def _written(count: int) -> str:
    """Return that the first cells have digits, with variables of their own."""
    return " ".join(f"(true (cell {n + 1} ?{_LETTERS[n]}))" for n in range(count))


STEPS_BETWEEN = code_of_nine(
    " ".join(f"(<= (code {_CODE}) {_DIGITS} (succ ?{x} ?{y}))" for x, y in _PAIRS),
    f"{_written(9)} (code {_CODE})",
)
"""A static relation of nine arguments and 36 definitions, most of whose 134 million rows hold."""

STEPS_FROM_THREE = code_of_nine(
    " ".join(f"(<= (code {_CODE}) {_DIGITS} (succ ?{x} ?{y}))" for x, y in _PAIRS),
    f"{_written(3)} (distinct ?a ?b) (code {_CODE})",
)
"""The same, asked with three arguments bound."""

NOT_FAR_APART = code_of_nine(
    f"(<= (code {_CODE}) {_DIGITS} (distinct ?a ?i) "
    + " ".join(f"(not (near ?{x} ?{y}))" for x, y in pairwise(_LETTERS))
    + ")",
    f"{_written(9)} (not (code {_CODE}))",
)
"""A static relation of nine arguments by a join over domains, asked under ``not``."""

TURNED = code_of_nine(
    f"(<= (code {_CODE}) {_DIGITS} (succ ?a ?b) (succ ?c ?d))"
    f"(<= (code {_CODE[3:]} ?a) (code {_CODE}) (succ ?a ?x))",
    f"{_written(2)} (true (cell 3 ?i)) (code ?a ?b 3 4 5 1 2 3 ?i)",
)
"""A static relation of nine arguments that depends on itself, asked with all of them bound."""


WIDE = {
    "steps between": STEPS_BETWEEN,
    "steps from three": STEPS_FROM_THREE,
    "not far apart": NOT_FAR_APART,
    "turned": TURNED,
    "first of nine": FIRST_OF_NINE,
    "lists": LISTS,
    "fractions": fractions(9000),
    "all different": all_different(9),
}
"""Each needs more than 40 million rows if its relations are derived as a whole."""

SMALLER = WIDE | {"fractions": fractions(900), "all different": all_different(7)}
"""The same, which need more than 200,000."""
