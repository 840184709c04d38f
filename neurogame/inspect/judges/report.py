"""What a judge of moves knows, as JSON and as text."""

from __future__ import annotations

from neurogame.evaluators.kind import Row
from neurogame.evaluators.kinds import kind_of_judge
from neurogame.inspect.subject import Subject
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


def print_judge_report(report: Row) -> None:
    """Print a report of :func:`judge_report`."""
    sizes = ", ".join(f"{name} {value:,}" for name, value in report["sizes"].items())
    print(f"\njudge of moves {report['judge']} (scores: {report['scores']}; {sizes})")
    if report["fluents"]:
        print("\nfluents that count most: what they add to the log-odds of a state")
    for row in report["fluents"]:
        print(f"{row['weight']:+9.4f}  {row['role']}: {row['fluent']}")
    if report["moves"]:
        print("\nmoves that are liked and disliked most, whatever the state")
    for row in report["moves"]:
        times = f" (made {row['plays']:,} times)" if "plays" in row else ""
        print(f"{row['value']:+9.4f}  {row['role']}: {row['move']}{times}")
    if report["leaves"]:
        print("\ntruths that learning moved most: false and true, before and now")
    for row in report["leaves"]:
        print(
            f"{row['initial'][0]:6.3f} {row['initial'][1]:6.3f} -> {row['current'][0]:6.3f} "
            f"{row['current'][1]:6.3f}  {row['role']}: {row['leaf']}"
        )
