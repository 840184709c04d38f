"""An evaluator told in few weighted rules: ``inspect --rules``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from neurogame.arena.positions import played_positions
from neurogame.errors import ConfigurationError
from neurogame.evaluators.rules.weighted_rules import RuleSet
from neurogame.evaluators.rules.write import weighted_rule_text, weighted_rules_text
from neurogame.files import check_output, write_output
from neurogame.inspect.rules.extract import ExtractedRule, Extractor
from neurogame.inspect.rules.fidelity import Fidelity, fidelity
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
from neurogame.learn.rules_file import evaluator_of_rules
from neurogame.waiting import during

SIZE = 20
"""Rules, unless told."""
_GAMES, _STATES, _RANDOM = 100, 1500, 0.5
"""Games on which fidelity is measured, states of these, and the share of random moves."""
_OTHER_GAMES = 1 << 20
"""Added to the seed: fidelity is measured on other games than rules are fitted to."""


def rules_report(
    subject: Subject, *, size: int = SIZE, seed: int = 0, out: Path | None = None
) -> dict[str, Any]:
    """Extract weighted rules from an evaluator, and measure how far they say the same.

    Args:
        subject: with an evaluator.
        size: how many rules, at most; at least 1.
        seed: decides the games that rules are fitted to, and those of the measurement.
        out: a file to write the rules to, or None; player strings take it as a source where its
            name ends with ``.rules``.

    Raises:
        CheckpointError: there are only judges of moves.
        ConfigurationError: the size is below 1, players would not know the file for rules, or it
            cannot be written.
    """
    if size < 1:
        raise ConfigurationError(f"--size {size}: at least 1 rule is needed")
    if out is not None:
        check_output("--out", out)
        if out.suffix.lower() != ".rules":
            raise ConfigurationError(
                f"{out}: player strings know files of rules by their names, which end with .rules"
            )
    evaluator, initial = subject.values()
    game = subject.game
    rules, about = Extractor(game, evaluator, seed=seed).rules(size)
    student = evaluator_of_rules(rules, game)
    with during(f"{game.name}: fidelity of the rules", 5):
        played = played_positions(
            game, evaluator, matches=_GAMES, seed=seed + _OTHER_GAMES, epsilon=_RANDOM
        ).drawn(_STATES, seed)
        measured = fidelity(game, evaluator, student, played)
        before = fidelity(game, evaluator, initial, played)
    if out is not None:
        write_output(out, rules_file_text(rules, about, measured, subject.name), force=True)
    return {
        "size": len(rules.rules),
        "opposed": rules.opposed,
        "rules": [
            {"text": weighted_rule_text(rule), "weight": rule.weight, **asdict(told)}
            for rule, told in zip(rules.rules, about, strict=True)
        ],
        "facts": {name: len(rows) for name, rows in rules.facts.items()},
        "fidelity": asdict(measured),
        "initial": asdict(before),
        "file": None if out is None else str(out),
    }


def rules_file_text(
    rules: RuleSet, about: Sequence[ExtractedRule], measured: Fidelity, source: str
) -> str:
    """Return the text of a file of extracted rules, with what there is to say about them."""
    title = [
        f"{len(rules.rules)} weighted rules, extracted from {source}",
        f"fidelity in {measured.states} states of other games: values differ by "
        f"{measured.difference:.3f} on average, log-odds correlate by {measured.correlation:.3f}, "
        f"{100 * measured.side:.1f} % of the clear values are on the same side of one half,",
        f"{100 * measured.moves:.1f} % of {measured.choices} moves are among the evaluator's best "
        f"(at random {100 * measured.chance:.1f} %)",
    ]
    return weighted_rules_text(rules, title=title, remarks=[_remark(rule) for rule in about])


def rules_parts(report: dict[str, Any]) -> list[Part]:
    """Return a report of :func:`rules_report` as people read it."""
    facts = ", ".join(f"{name} ({rows})" for name, rows in report["facts"].items()) or "none"
    measured, before, file = report["fidelity"], report["initial"], report["file"]
    names = {"difference": "mean difference of values", "correlation": "correlation of log-odds"}
    shares = {"side": "same side of one half, %", "moves": "best moves in common, %"}
    rows = [
        {"what": what, "rules": factor * measured[name], "before": factor * before[name]}
        for factor, told in ((1, names), (100, shares | {"chance": "moves at random, %"}))
        for name, what in told.items()
    ]
    return [
        f"{report['size']} weighted rules; facts that bind their variables: {facts}",
        *(
            f"; {number}. {_remark(row)}\n{row['text']}"
            for number, row in enumerate(report["rules"], 1)
        ),
        Table(
            rows,
            "={what} | rules={rules:.3f} | before learning={before:.3f}",
            f"fidelity, in {measured['states']} states of other games",
        ),
        f"written to {file}; play it:\n  alphabeta:{file},depth=2" if file else "",
    ]


def _remark(about: ExtractedRule | dict[str, Any]) -> str:
    """Return what there is to say about a rule."""
    told = asdict(about) if isinstance(about, ExtractedRule) else about
    return (
        f"{told['kind']}: {told['instances']} instances, {told['held']:.3g} of them count in a "
        f"state; moves the log-odds by {told['effect']:.2f}"
    )
