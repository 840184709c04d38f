"""Mutations of rulesheets, for the fuzzer: of bytes, tokens, subtrees, rules and whole files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(rb"\s+|;[^\r\n]*|[()]|[^\s();]+")

WORDS = [
    *(b"role init true does next legal goal terminal base input random sees".split()),
    *(b"<= not or and distinct ( ) ? ?x ?y 0 1 100 101 -1 +5 050 50.5 () '' (())".split()),
    *(b"?X X (f ?x) (f ?x ?x) (not (p)) (or) (and) (distinct ?x ?x) (role ?x) (true ?x)".split()),
    *(b'; " | \\ :- ~ & . !='.split()),
    b"9" * 400,
    b"a" * 2000,
    "ünïcödé".encode(),
    b"\xff\xfe",
    b"\x00",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r",
    b"\x0c",
    "\u2028".encode(),
]
RULES = [
    b"(<= (next (n (f ?x))) (true (n ?x)))(init (n 0))",
    b"(<= (next (n (f ?x ?x))) (true (n ?x)))(init (n 0))",
    b"(<= (p ?x) (q ?x) (not (p ?x)))(q a)",
    b"(<= (w ?x) (e ?x ?y) (not (w ?y)))(e a b)(e b c)(<= terminal (w a))",
    b"(<= (t ?x ?z) (t ?x ?y) (e ?y ?z))(<= (t ?x ?y) (e ?x ?y))(e a b)(e b a)",
    b"(<= (goal ?r ?v) (role ?r) (true (step ?v)))",
    b"(<= (legal ?r ?m) (role ?r) (true ?m))",
    b"(<= (init ?x) (base ?x))",
    b"(<= (next ?x) (true ?x))",
    b"(<= (next ?m) (does ?r ?m))",
    b"(<= (goal ?r 0) (not (goal ?r 100)))",
    b"(<= (p ?x) (or (q ?x) (and (r ?x) (or (s ?x) (not (t ?x))))))(q a)(s b)",
    b"(<= (goal ?r 50) (role ?r) (not (distinct ?r white)))",
    b"(role white)",
    b"(<= terminal (not terminal))",
    b"(<= (legal ?r noop) (role ?r) (not (legal ?r other)))",
    b"(<= (big ?a ?b ?c ?d ?e ?f) (role ?a) (role ?b) (role ?c) (role ?d) (role ?e) (role ?f))"
    b"(<= terminal (big ?a ?b ?c ?d ?e ?f) (true (x ?a ?b)))",
    # Counters, lists and trees of function terms, with an end and without.
    b"(init (count zero))(<= (next (count (s ?n))) (true (count ?n)) (small ?n))"
    b"(small zero)(small (s zero))(small (s (s zero)))(<= terminal (true (count (s (s zero)))))",
    b"(<= (next (count (s ?n))) (true (count ?n)))(init (count zero))",
    b"(init (list (cons a (cons b nil))))(<= (next (list ?t)) (true (list (cons ?h ?t))))"
    b"(<= (member ?x (cons ?x ?t)) (true (list (cons ?x ?t))))(<= terminal (true (list nil)))",
    b"(append nil (cons a nil) (cons a nil))"
    b"(<= (append (cons ?h ?x) ?y (cons ?h ?z)) (append ?x ?y ?z) (distinct ?x (cons ?h ?x)))",
    b"(<= (legal ?r (put (pair ?x (pair ?y ?x)))) (role ?r) (num ?x) (num ?y))"
    b"(num 0)(num (s 0))(<= (next (at ?p)) (does ?r (put ?p)))",
    b"(<= (plus 0 ?y ?y) (num ?y))(<= (plus (s ?x) ?y (s ?z)) (plus ?x ?y ?z) (num (s ?z)))"
    b"(num 0)(num (s 0))(num (s (s 0)))(<= (goal ?r 70) (role ?r) (plus (s 0) (s 0) (s (s 0))))",
    # Wide relations: eight arguments, nine that fill up from the left, exactly one of ten.
    b"(init (row b b b b b b b b))(<= (next (row ?b ?c ?d ?e ?f ?g ?h x))"
    b"(true (row ?a ?b ?c ?d ?e ?f ?g ?h)))(<= terminal (true (row x x x x x x x x)))",
    b"(<= (next (nine ?b ?c ?d ?e ?f ?g ?h ?i ?a)) (true (nine ?a ?b ?c ?d ?e ?f ?g ?h ?i)))"
    b"(init (nine 1 0 0 0 0 0 0 0 0))(<= (goal ?r 30) (role ?r) (true (nine 1 0 0 0 0 0 0 0 0)))",
    b"(bit 0)(bit 1)(<= (wide ?a ?b ?c ?d ?e ?f ?g ?h ?i ?j) (bit ?a) (bit ?b) (bit ?c) (bit ?d)"
    b"(bit ?e) (bit ?f) (bit ?g) (bit ?h) (bit ?i) (bit ?j))"
    b"(<= (legal ?r (w ?a ?j)) (role ?r) (wide ?a 0 0 0 0 0 0 0 0 ?j))",
    b"(cell 1)(cell 2)(cell 3)(init (at 1))(<= (some) (true (at ?x)) (cell ?x))"
    b"(<= (two) (true (at ?x)) (true (at ?y)) (distinct ?x ?y))(<= (one) (some) (not (two)))"
    b"(<= terminal (not (one)))(<= (next (at ?y)) (true (at ?x)) (after ?x ?y))"
    b"(after 1 2)(after 2 3)",
    b"(init (frac (over 1 2)))(<= (next (frac (over ?b ?a))) (true (frac (over ?a ?b))))"
    b"(<= (goal ?r 50) (role ?r) (true (frac (over 1 2))))",
]
FUNCTIONS = (b"s", b"cons", b"pair")
DEPTHS = (1, 2, 3, 20, 60, 99, 100, 101, 150, 10_000)
COUNTS = (2, 3, 10, 100, 1000, 3000)


def mutated(corpus: Sequence[bytes], choose: random.Random) -> bytes:
    """Return a rulesheet of the corpus after some random mutations.

    Args:
        corpus: rulesheets.
        choose: decides everything.
    """
    data = choose.choice(corpus)
    while True:
        data = choose.choices(MUTATIONS, WEIGHTS)[0](data, corpus, choose)
        if choose.random() < 0.45:
            return data


def _place(data: bytes, choose: random.Random) -> int:
    return choose.randrange(len(data) + 1)


def _slice(data: bytes, choose: random.Random) -> tuple[int, int]:
    begin = _place(data, choose)
    return begin, min(len(data), begin + int(choose.expovariate(1 / 30)))


def _flip_bytes(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 3, 20))):
        if changed:
            changed[choose.randrange(len(changed))] = choose.randrange(256)
    return bytes(changed)


def _insert_bytes(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    place = _place(data, choose)
    return data[:place] + choose.randbytes(choose.choice((1, 2, 8))) + data[place:]


def _cut_bytes(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    begin, end = _slice(data, choose)
    return data[:begin] + data[end:]


def _truncate(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    return data[: _place(data, choose)]


def _splice(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    other = choose.choice(corpus)
    return data[: _place(data, choose)] + other[_place(other, choose) :]


def _tokens(data: bytes, choose: random.Random) -> tuple[list[bytes], list[int]]:
    """Return all tokens with the gaps, and the numbers of those that are words."""
    tokens = _TOKEN.findall(data)
    words = [i for i, t in enumerate(tokens) if not t.isspace() and t[:1] not in (b";", b"(", b")")]
    return tokens, words or [0]


def _replace_word(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    tokens, words = _tokens(data or b"a", choose)
    for _ in range(choose.choice((1, 1, 1, 2, 5))):
        new = choose.choice(WORDS) if choose.random() < 0.5 else tokens[choose.choice(words)]
        tokens[choose.choice(words)] = new
    return b"".join(tokens)


def _replace_everywhere(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    tokens, words = _tokens(data or b"a", choose)
    old = tokens[choose.choice(words)]
    new = choose.choice(WORDS) if choose.random() < 0.5 else tokens[choose.choice(words)]
    return b"".join(new if token == old else token for token in tokens)


def _change_case(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    tokens, words = _tokens(data or b"a", choose)
    for _ in range(choose.choice((1, 5, 50))):
        place = choose.choice(words)
        tokens[place] = tokens[place].swapcase()
    return b"".join(tokens)


def _drop_parenthesis(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    places = [i for i, byte in enumerate(data) if byte in b"()"]
    if not places:
        return data
    place = choose.choice(places)
    return data[:place] + choose.choice((b"", b"(", b")", b"((", b"))")) + data[place + 1 :]


def _subtree(data: bytes, choose: random.Random, top: bool = False) -> tuple[int, int]:
    """Return where a random group in parentheses begins and ends; nothing if there is none."""
    opening: list[int] = []
    groups: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(data):
        if match[0] == b"(":
            opening.append(match.start())
        elif match[0] == b")" and opening:
            begin = opening.pop()
            if not (top and opening):
                groups.append((begin, match.end()))
    return choose.choice(groups) if groups else (0, 0)


def _delete_subtree(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    begin, end = _subtree(data, choose)
    return data[:begin] + data[end:]


def _repeat_subtree(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    begin, end = _subtree(data, choose)
    if end - begin > 500:
        return data
    return data[:end] + b" " + data[begin:end] * choose.choice(COUNTS) + data[end:]


def _move_subtree(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    begin, end = _subtree(data, choose)
    first, last = _subtree(data, choose)
    return data[:first] + data[begin:end] + data[last:]


def _nest_subtree(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    begin, end = _subtree(data, choose)
    depth = choose.choice(DEPTHS)
    name = choose.choice(
        (b"(not ", b"(or ", b"(and ", b"(f ", b"(", b"(or (p) ", b"(f ?x ", b"(<= ")
    )
    closing = b")" * (depth if choose.random() < 0.8 else choose.randrange(depth + 1))
    return data[:begin] + name * depth + data[begin:end] + closing + data[end:]


def _wrap_body(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    """Put an ``or`` with another subtree around a subtree."""
    begin, end = _subtree(data, choose)
    first, last = _subtree(data, choose)
    choice = b"(or " + data[begin:end] + b" " + data[first:last] + b")"
    return data[:begin] + choice * choose.choice((1, 1, 2, 13)) + data[end:]


def _cross_rules(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    other = choose.choice(corpus)
    for _ in range(choose.choice((1, 3, 10))):
        begin, end = _subtree(other, choose, top=True)
        first, last = _subtree(data, choose, top=True)
        data = data[:first] + other[begin:end] + data[choose.choice((first, last)) :]
    return data


def _add_rule(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    return data + b"\n" + choose.choice(RULES)


def _wrap_in_function(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    """Put every occurrence of a word into a function term: ``a`` becomes ``(s a)``, all over."""
    tokens, words = _tokens(data or b"a", choose)
    old = tokens[choose.choice(words)]
    for _ in range(choose.choice((1, 1, 2, 4))):
        name = choose.choice(FUNCTIONS)
        second = b"" if name == b"s" else b" " + choose.choice((b"nil", old))
        new = b"(" + name + b" " + old + second + b")"
        tokens = [new if token == old else token for token in tokens]
        old = new
    return b"".join(tokens)


def _widen(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    """Give every use of a relation or function up to ten more arguments, all alike."""
    names = re.findall(rb"\(\s*([^\s();?]+)\s+[^\s)]", data)
    if not names:
        return data
    name, count = choose.choice(names), choose.randrange(1, 11)
    extra = b" " + b" ".join([choose.choice((b"0", b"(s 0)", b"wide"))] * count)
    pattern = rb"(\(\s*" + re.escape(name) + rb")(?=[\s)])"
    return re.sub(pattern, lambda found: found[0] + extra, data)


def _whole_file(data: bytes, corpus: Sequence[bytes], choose: random.Random) -> bytes:
    change: Callable[[bytes], bytes] = choose.choice(
        [
            lambda d: d.replace(b"\n", b"\r\n"),
            lambda d: d.replace(b"\n", b"\r"),
            lambda d: b"\xef\xbb\xbf" + d,
            lambda d: d.decode("utf-8", "replace").encode("utf-16"),
            lambda d: d.replace(b"\n", b" "),
            lambda d: d.upper(),
            lambda d: d + d,
            lambda d: b"",
            lambda d: b"(" * 300_000,
            lambda d: b")" * 100_000 + d,
            lambda d: d.replace(b"?", b""),
            lambda d: d.replace(b"not", b"or"),
            lambda d: d.replace(b"true", b"next"),
            lambda d: d.replace(b"init", b"base"),
        ]
    )
    return change(data)


MUTATIONS = [
    *(_flip_bytes, _insert_bytes, _cut_bytes, _truncate, _splice, _replace_word),
    *(_replace_everywhere, _change_case, _drop_parenthesis, _delete_subtree, _repeat_subtree),
    *(_move_subtree, _nest_subtree, _wrap_body, _cross_rules, _add_rule, _whole_file),
    *(_wrap_in_function, _widen),
]
WEIGHTS = [1, 1, 1, 0.5, 0.5, 8, 4, 1, 1, 6, 3, 8, 2, 4, 6, 8, 0.7, 5, 4]
"""Most mutations keep the parentheses whole: what breaks them never comes far."""
