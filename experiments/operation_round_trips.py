"""Which rulesheets can be written in operation notation, and do they play alike when read again?

Prints a line for every rulesheet of a folder: how many states of random games were the same,
or what differs, or why it is refused; and how many there are of each::

    python experiments/operation_round_trips.py ../shared/games
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from neurogame.errors import NeurogameError
from neurogame.gdl.library import read_text
from neurogame.gdl.operations_write import operations_text
from neurogame.gdl.parse import parse_rules
from neurogame.prover.same_play import same_play

GAMES, STATES, SECONDS = 3, 400, 2.0
"""Random games of a rulesheet, and when their comparison ends."""


def round_trip(path: Path) -> tuple[str, str]:
    """Return ``alike``, ``different`` or ``refused``, and what there is to say about it."""
    try:
        rules = parse_rules(read_text(path), path.name)
        back = parse_rules(operations_text(rules), path.name)
        play = same_play(rules, back, games=GAMES, states=STATES, seconds=SECONDS)
    except NeurogameError as error:
        return "refused", str(error)
    if play.difference is not None:
        return "different", play.difference
    return "alike", f"{play.states} states"


def main() -> None:
    """Go through a folder."""
    counts: Counter[str] = Counter()
    for path in sorted(Path(sys.argv[1]).glob("*.kif")):
        verdict, why = round_trip(path)
        counts[verdict] += 1
        print(f"{path.stem}: {verdict}, {why}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
