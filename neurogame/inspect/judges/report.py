"""What a judge of moves knows."""

from __future__ import annotations

from neurogame.evaluators.kind import Row
from neurogame.evaluators.kinds import kind_of_judge
from neurogame.inspect.subject import Subject
from neurogame.inspect.table import Part, Table
from neurogame.judges.moves import LOGITS


def judge_report(subject: Subject, name: str, top: int) -> Row:
    """Return what a judge of moves knows.

    Args:
        subject: whose judge.
        name: of the judge.
        top: how many fluents, moves and leaves to list of each role: those that count most.
    """
    judge = subject.judge(name)
    kind = kind_of_judge(judge)
    return {
        "judge": name,
        "scores": "logarithms of weights" if judge.scale == LOGITS else "0..1",
        **{"sizes": {}, "fluents": [], "moves": [], "leaves": []},
        **kind.known(judge, subject.game, top),
    }


def judge_parts(report: Row) -> list[Part]:
    """Return a report of :func:`judge_report` as people read it."""
    sizes = ", ".join(f"{name} {value:,}" for name, value in report["sizes"].items())
    moves = [
        {**row, "times": f" (made {row['plays']:,} times)" if "plays" in row else ""}
        for row in report["moves"]
    ]
    truths = "before={initial[0]:.3f} {initial[1]:.3f} | now={current[0]:.3f} {current[1]:.3f}"
    liked = "score={value:+.4f} | move={role}: {move}{times}"
    return [
        f"judge of moves {report['judge']} (scores: {report['scores']}; {sizes})",
        Table(
            report["fluents"],
            "adds={weight:+.4f} | fluent={role}: {fluent}",
            "fluents that count most: what they add to the log-odds of a state",
        ),
        Table(moves, liked, "moves that are liked and disliked most, whatever the state"),
        Table(
            report["leaves"],
            truths + " | leaf={role}: {leaf}",
            "truths that learning moved most: false and true",
        ),
    ]
