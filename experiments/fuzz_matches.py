"""Random rulesheets of odd shape, each played for a whole match over HTTP by a served player.

Many roles or one, several that move at once or nobody who has a choice, states without any fluent,
moves that are nested terms, lists that grow: what nobody writes, but the language allows. A match
counts as good if our player never answers ``nil``, nothing illegal and nothing late, and reports no
failure. Called by ``fuzz_rules.py`` at the end of a run, or alone::

    python experiments/fuzz_matches.py --seed 1 --matches 4
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loopback_matches import Server

from neurogame.ggp.manager.contestant import Contestant, contact
from neurogame.ggp.manager.manager import play_http_match
from neurogame.ggp.manager.referee import load_referee
from neurogame.ggp.manager.settings import ManagerSettings

MATCHES = 4
SETTINGS = ManagerSettings(start_clock=6, play_clock=1, strict=True)


def odd_rules(choose: random.Random) -> str:
    """Return a rulesheet of odd shape that every match of it ends in a few plies.

    Args:
        choose: decides the shape.
    """
    roles = [f"r{n}" for n in range(choose.choice([1, 1, 2, 3, 7, 12]))]
    last = choose.randint(2, 5)
    choices = choose.choice([1, 2, 5])
    move = choose.choice(
        ["(pick {n})", "(pick (in (a box {n})))", "w{n}", "(cons {n} (cons z nil))"]
    )
    moves = [move.format(n=n) for n in range(choices)]
    is_turned = choose.random() < 0.4
    lines = [f"(role {role})" for role in roles]
    lines += [f"(succ {n} {n + 1})" for n in range(last)]
    lines += ["(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))", "(init (step 0))"]
    if choose.random() < 0.3:
        # A state without any fluent: the game begins with nothing, and nothing is left at the end.
        lines = [line for line in lines if line != "(init (step 0))"]
        lines.append("(<= (next (step 0)) (not begun)) (<= begun (true (step ?n)))")
    for number, role in enumerate(roles):
        turn = f" (true (step {number % (last + 1)}))" if is_turned else ""
        own = moves if choose.random() < 0.8 else moves[:1]
        lines += [f"(<= (legal {role} {text}) (open){turn})" for text in own]
        if is_turned:
            lines.append(f"(<= (legal {role} pass) (not (true (step {number % (last + 1)}))))")
        lines.append(f"(<= (next (did {role} ?m)) (does {role} ?m))")
        lines.append(f"(<= (goal {role} 100) (true (did {role} {moves[-1]})))")
        lines.append(
            f"(<= (goal {role} {choose.randint(0, 99)}) (not (true (did {role} {moves[-1]}))))"
        )
    if choose.random() < 0.5:
        lines.append("(init (pile nil)) (<= (next (pile (s ?x))) (true (pile ?x)) (short ?x))")
        lines.append("(short nil) (<= (short (s ?x)) (small ?x)) (small nil) (small (s nil))")
    lines += ["(open)", f"(<= terminal (true (step {last})))"]
    return "\n".join(line.replace("(open)", "open") for line in lines)


def play_odd(seed: int, matches: int, folder: Path) -> Iterator[str]:
    """Play matches; yield what went wrong in each, nothing where all went well.

    Args:
        seed: decides the rulesheets and the matches.
        matches: how many.
        folder: for rulesheets and logs.
    """
    server = Server("mcts", seed, folder / "player")
    try:
        for number in tqdm(range(matches), unit="match", leave=False):
            choose = random.Random(f"odd {seed}/{number}")
            path = folder / f"odd-{seed}-{number}.kif"
            path.write_text(odd_rules(choose), encoding="utf-8")
            referee = load_referee(path)
            seats = ["random"] * len(referee.roles)
            seats[choose.randrange(len(seats))] = server.address
            seated = contact([Contestant.parse(player) for player in seats], 30.0)
            match = play_http_match(referee, seated, SETTINGS, seed + number)
            if match.interrupted:
                raise KeyboardInterrupt
            ours = next(player for player in match.players if player.address != "random")
            events = server.events(match.record.match_id)
            faults = {
                "ending": match.ending if match.ending != "terminal" else "",
                "illegal": ours.illegal_moves,
                "late": ours.timeouts,
                "not ready": ours.not_ready,
                "connection errors": ours.connection_errors,
                "nil": events["by none"],
                "failures": events["failure"] + events["died"] + server.tracebacks(),
            }
            found = {name: count for name, count in faults.items() if count}
            yield f"{path}: {found}" if found else ""
    finally:
        server.stop()


def main() -> int:
    """Play and print what went wrong; 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--matches", type=int, default=MATCHES)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-matches-"))
    wrong = [text for text in play_odd(options.seed, options.matches, folder) if text]
    print(f"{options.matches} matches, {len(wrong)} with faults", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
