"""Repairs: what the checks find and what has one obvious cure, written into the text.

Comments and layout stay. What the package would leave out becomes a comment, so the repaired sheet
is played as the old one was, and nothing of it is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from neurogame.errors import RulesError
from neurogame.gdl.check import check_text
from neurogame.gdl.dependencies import MOVE_FREE
from neurogame.gdl.finding import Finding
from neurogame.gdl.keywords import KEYWORDS, SYNTAX_WORDS, fresh_name
from neurogame.gdl.notation import PREFIX, notation_of
from neurogame.gdl.source import Edit, Source, SourcePiece, edited
from neurogame.gdl.standard import PERCEPTS
from neurogame.gdl.terms import Or
from neurogame.gdl.walk import relation_of, signed_sentences

Cure: TypeAlias = Callable[[Source, Finding], Sequence[Edit]]

_ROUNDS = 50
_WORST = ("error", "nonstandard", "warning")


@final
@dataclass(frozen=True)
class Repair:
    """A rulesheet after its repair.

    Attributes:
        text: the new text.
        cured: the findings that are repaired, in the order of their repair.
        left: the findings about the new text.
    """

    text: str
    cured: tuple[Finding, ...]
    left: tuple[Finding, ...]


def fix_text(text: str, source: str = "<text>") -> Repair:
    """Repair every finding that has one obvious cure.

    A cure is taken only if it makes the sheet better: fewer errors, or as many and less that is
    nonstandard, and so on. Where the first cure of a statement that is left out does not, the
    statement becomes a comment.

    Args:
        text: a rulesheet in prefix notation.
        source: the file name, for messages.

    Raises:
        RulesError: the rulesheet is in another notation.
    """
    if notation_of(text, source).kind != PREFIX:
        raise RulesError(
            f"{source}: only prefix notation is repaired; 'neurogame convert' writes it"
        )
    findings = check_text(text, source)[1]
    cured: list[Finding] = []
    for _ in range(_ROUNDS):
        better = _better(text, source, findings)
        if better is None:
            break
        text, after, treated = better
        cured += treated
        findings = after
    return Repair(text, tuple(cured), tuple(findings))


def _better(
    text: str, source: str, findings: list[Finding]
) -> tuple[str, list[Finding], list[Finding]] | None:
    """Return the text, its findings and those treated after the first cures that help, or None."""
    sheet = Source(text)
    before = _badness(findings)
    codes = dict.fromkeys(finding.code for finding in findings)
    for cures in ({**CURES}, dict.fromkeys(codes, _comment_out)):
        for code in codes:
            cure = cures.get(code)
            if cure is None:
                continue
            alike = [f for f in findings if f.code == code]
            # All of a kind at once; where that does not help, one after the other.
            for treated in (alike, *([finding] for finding in alike if len(alike) > 1)):
                edits = [edit for finding in treated for edit in cure(sheet, finding)]
                new = edited(text, edits)
                # No comment is lost.
                if new != text and new.count(";") >= text.count(";"):
                    after = check_text(new, source)[1]
                    if _badness(after) < before:
                        return new, after, treated
    return None


def _badness(findings: Sequence[Finding]) -> tuple[int, ...]:
    return tuple(sum(f.severity == severity for f in findings) for severity in _WORST)


def _comment_out(sheet: Source, finding: Finding) -> list[Edit]:
    """Make a comment of a statement that is left out."""
    if not finding.left_out:
        return []
    offset = sheet.offset(finding.position)
    around = [piece for piece in sheet.top if piece.begin <= offset]
    if not around:
        return []
    end = around[-1].end
    if finding.code == "unmatched-open":
        end = _end_of_open(sheet, around[-1])
    return [_commented(sheet, around[-1].begin, max(end, offset + 1))]


def _end_of_open(sheet: Source, piece: SourcePiece) -> int:
    """Return where a statement ends that is not closed: behind its last word or parenthesis."""
    following = len(sheet.text)
    for inner in piece.inside():
        column = inner.begin - sheet.text.rfind("\n", 0, inner.begin)
        if inner.begin > piece.begin and not inner.word and (inner.name == "<=" or column == 1):
            following = inner.begin
            break
    inside = [part for part in piece.inside() if part.begin < following]
    return max(part.end if part.closed else part.begin + 1 for part in inside)


def _commented(sheet: Source, begin: int, end: int) -> Edit:
    """Return the edit that makes a comment of a part of the text."""
    start = sheet.text.rfind("\n", 0, begin) + 1
    behind = sheet.text[end : sheet.text.find("\n", end) % (len(sheet.text) + 1)]
    before = "" if not sheet.text[start:begin].strip() else "\n"
    after = "" if not behind.strip() or behind.lstrip().startswith(";") else "\n"
    text = sheet.text[begin:end].replace("\n", "\n; ")
    return Edit(begin, end, f"{before}; {text}{after}")


def _without_parentheses(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    if piece is None or len(piece.pieces) != 1:
        return []
    return [Edit(piece.begin, piece.end, sheet.shown(piece.pieces[0]))]


def _as_fact(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    if piece is None or len(piece.pieces) != 2:
        return []
    return [Edit(piece.begin, piece.end, sheet.shown(piece.pieces[1]))]


def _negation(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    if piece is None or len(piece.pieces) != 2 or not piece.pieces[1].pieces[1:]:
        return []
    inner = piece.pieces[1]
    if inner.name == "distinct":
        return _equality(sheet, piece, inner)
    parts = [sheet.shown(part) for part in inner.pieces[1:]]
    if inner.name == "not":
        return [Edit(piece.begin, piece.end, parts[0])]
    negated = " ".join(f"(not {part})" for part in parts)
    if inner.name == "and":
        negated = f"(or {negated})"
    elif piece.parent is None or piece.parent.name != "<=":
        negated = f"(and {negated})"
    return [Edit(piece.begin, piece.end, negated)]


def _equality(sheet: Source, piece: SourcePiece, inner: SourcePiece) -> list[Edit]:
    """Write one term for both of an equality that stands alone in a body."""
    if piece.parent is None or piece.parent.name != "<=" or len(inner.pieces) != 3:
        return []
    left, right = inner.pieces[1:]
    if right.word.startswith("?"):
        kept, gone = left, right
    elif left.word.startswith("?"):
        kept, gone = right, left
    elif left.word and right.word and left.word.lower() != right.word.lower():
        # Two constants are never the same: the rule never holds.
        return [_commented(sheet, piece.parent.begin, piece.parent.end)]
    else:
        return []
    if any(part.word.lower() == gone.word.lower() for part in kept.inside()):
        return []
    begin = len(sheet.text[: piece.begin].rstrip())
    return [
        Edit(begin, piece.end, ""),
        *(
            Edit(part.begin, part.end, sheet.shown(kept))
            for part in piece.parent.inside()
            if part.word.lower() == gone.word.lower() and not piece.begin <= part.begin < piece.end
        ),
    ]


def _renamed_keyword(sheet: Source, finding: Finding) -> list[Edit]:
    """Give a keyword inside terms another name, wherever it stands so in the sheet."""
    piece = sheet.at(finding.position)
    if piece is None or not piece.name:
        return []
    words = {part.word.lower() for top in sheet.top for part in top.inside() if part.word}
    wanted = piece.name
    new = fresh_name(f"{wanted}-term", words)
    edits = []
    for top in sheet.top:
        for term in _terms(top):
            is_function = bool(term.pieces)
            if term.name == wanted and (is_function or wanted in SYNTAX_WORDS):
                word = term.pieces[0] if is_function else term
                edits.append(Edit(word.begin, word.end, new))
    return edits


def _terms(piece: SourcePiece) -> list[SourcePiece]:
    """Return the terms inside a statement or formula, those inside other terms included."""
    if piece.word:
        return []
    parts = piece.pieces[1:]
    if piece.name in ("<=", "not", "or", "and"):
        return [term for part in parts for term in _terms(part)]
    terms: list[SourcePiece] = []
    for part in parts:
        inside = [p for p in part.inside() if p.parent is None or p is not p.parent.pieces[0]]
        terms += [p for p in inside if p is part or p.parent is not None]
    return terms


def _nested_declaration(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    first = 1 if piece is not None and piece.name == "base" else 2
    if piece is None or len(piece.pieces) <= first + 1 or not piece.pieces[first].word:
        return []
    begin, end = piece.pieces[first].begin, piece.pieces[-1].end
    return [Edit(begin, begin, "("), Edit(end, end, ")")]


def _percepts(sheet: Source, finding: Finding) -> list[Edit]:
    heads = [(p, p.pieces[1] if p.name == "<=" and p.pieces[1:] else p) for p in sheet.top]
    return [_commented(sheet, p.begin, p.end) for p, head in heads if head.name in PERCEPTS]


def _closed(sheet: Source, finding: Finding) -> list[Edit]:
    """Close a statement, where only its own parenthesis is missing."""
    piece = sheet.at(finding.position)
    if piece is None:
        return []
    end = _end_of_open(sheet, piece)
    missing = [part for part in piece.inside() if not part.closed and part.begin < end]
    return [Edit(end, end, ")")] if len(missing) == 1 else []


def _balanced(sheet: Source, finding: Finding) -> list[Edit]:
    """Take a surplus parenthesis away, or open the row of words before it."""
    at = sheet.offset(finding.position)
    before = [piece for piece in sheet.top if piece.begin < at]
    start = sheet.text.rfind("\n", 0, at) + 1
    word = next((p for p in before if p.word and p.begin >= start), None)
    return [Edit(at, at + 1, "")] if word is None else [Edit(word.begin, word.begin, "(")]


def _opened(sheet: Source, finding: Finding) -> list[Edit]:
    at = sheet.offset(finding.position)
    return [Edit(at, at, "(")]


def _removed(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    return [] if piece is None else [_commented(sheet, piece.statement.begin, piece.statement.end)]


def _role_bound(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    if piece is None:
        return []
    rule, literal = piece.statement, f"(role {piece.word})"
    if rule.name == "<=":
        return [Edit(rule.end - 1, rule.end - 1, f" {literal}")]
    return [Edit(rule.begin, rule.begin, "(<= "), Edit(rule.end, rule.end, f" {literal})")]


def _spliced(sheet: Source, finding: Finding) -> list[Edit]:
    piece = sheet.at(finding.position)
    if piece is None or not piece.pieces[1:]:
        return []
    return [Edit(piece.begin, piece.end, " ".join(map(sheet.shown, piece.pieces[1:])))]


def _spelled_alike(sheet: Source, finding: Finding) -> list[Edit]:
    """Spell a name, or a variable of one rule, as it is spelled first."""
    piece = sheet.at(finding.position)
    if piece is None:
        return []
    scope = [piece.statement] if piece.word.startswith("?") else sheet.top
    alike = [p for top in scope for p in top.inside() if p.word.lower() == piece.word.lower()]
    return [Edit(p.begin, p.end, alike[0].word) for p in alike if p.word != alike[0].word]


def _never_asked(sheet: Source, finding: Finding) -> list[Edit]:
    """Make a comment of a rule that needs a move, or what only moves derive, where none is made."""
    piece = sheet.at(finding.position)
    if finding.severity != "nonstandard" or piece is None:
        return []
    played = check_text(sheet.text)[0]
    derived = {relation_of(rule.head) for rule in played}
    start = piece.statement.begin
    able = [
        rule
        for rule in played
        if sheet.offset(rule.position) == start
        and rule.head.name in MOVE_FREE
        and all(
            negated or sentence.name in KEYWORDS or relation_of(sentence) in derived
            for literal in rule.body
            if not isinstance(literal, Or)
            for sentence, negated in signed_sentences(literal)
        )
    ]
    return [] if able else _removed(sheet, finding)


CURES: dict[str, Cure] = {
    "empty-body": _as_fact,
    "empty-parentheses": _without_parentheses,
    "forbidden-dependency": _never_asked,
    "hidden-information": _percepts,
    "keyword-function": _renamed_keyword,
    "malformed-declaration": _nested_declaration,
    "missing-open": _opened,
    "name-case": _spelled_alike,
    "negated-formula": _negation,
    "nested-or": _spliced,
    "repeated-role": _removed,
    "unbound-role": _role_bound,
    "unmatched-close": _balanced,
    "unmatched-open": _closed,
    "variable-case": _spelled_alike,
}
"""The obvious cure of each kind of finding that has one."""
