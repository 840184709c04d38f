"""What a change that is to change nothing must leave alone, as hashes.

python -m benchmarks.gates --check                       # the library, against gates.json
python -m benchmarks.gates --check --parts netlist code  # some parts of it
python -m benchmarks.gates --write before.json           # the same into a file of one's own
python -m benchmarks.gates --check --parts sheets        # games beside the checkout: two minutes
python -m benchmarks.gates ../shared/games --parts netlist code --write sheets.json

Equal text for the compiler is equal code, so equal speed; the text, and the last bits of weights,
values and moves, are those of one processor and one version of torch: compare on the machine that
wrote the file. ``--check`` names what differs, what is gone and what is new, and fails unless all
is equal. A change that means to change one of these says so, and writes the file anew.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
import torch
from tqdm import tqdm

from neurogame.bars import bar_stream
from neurogame.circuit.circuit import Circuit
from neurogame.circuit.compile import compile_rules
from neurogame.cli.main import main as neurogame
from neurogame.gdl.library import library_names, load_rules
from neurogame.kernels.codegen.driver import write_module
from neurogame.kernels.codegen.evaluate import write_evaluation
from neurogame.kernels.codegen.kernel import make_code, pack_tables
from neurogame.kernels.codegen.shape import Shape, shape_for, widest
from neurogame.kernels.codegen.straight import loop_rows
from neurogame.kernels.netlist.build import build_play, build_step
from neurogame.kernels.netlist.facts import find_facts
from neurogame.kernels.netlist.ply import Ply
from neurogame.learn.lanes.learner import LaneLearner
from neurogame.learn.recipe import fitted, fresh_rules_network
from neurogame.players.players import make_player
from neurogame.players.search_player import SearchPlayer
from neurogame.search.limit import Limit
from neurogame.search.match_start import MatchStart
from neurogame.simulate.game import Game, State

Hashes: TypeAlias = dict[str, str]

FILE = Path(__file__).with_name("gates.json")
CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"
LEARNERS = ("tictactoe", "connectfour5", "pig", "tictactoe3p")
ROUNDS = 20
SHARED = Path(os.environ.get("NEUROGAME_SHARED", Path(__file__).parents[2] / "shared")) / "games"
SLOW = (
    *("amazons", "amazonsSuicide", "amazons_10x10", "blobwars", "checkers"),
    *("checkers-suicide-cylinder-mustjump", "chess", "chess_200", "crossers3", "endgame"),
    *("gt_two_thirds_6p", "linesOfAction", "mummymaze1p", "othello-comp2007"),
    *("othelloSuicide", "pancakes88", "racer", "ruleDepthExponential", "skirmish"),
    *("skirmishZeroSum", "zhadu"),
)
"""Sheets that are left out: most take more than 5 processor seconds, amazons 45."""
SHEETS = [str(path) for path in sorted(SHARED.glob("*.kif")) if path.stem not in SLOW]
INSPECTED: dict[str, tuple[str, ...]] = {
    "tictactoe": ("--state", "initial"),
    "connectfour5": ("--state", "random:6:1"),
    "pig": (),
}
"""Checkpoints that are looked at, and what is asked of them."""

SEARCHED = ("tictactoe", "connectfour5", "breakthrough6", "pig", "rockpaperscissors", "tictactoe3p")
EVALUATORS = ("cilp", "cilp-paper", "random-net", "mlp", "fuzzy", "fluxplayer", "blind")
"""Without ``features``: what a clock allows decides of how many games these know."""
SEARCHES = (
    *(f"alphabeta:{kind},depth=2" for kind in (*EVALUATORS, "CHECKPOINT")),
    *("alphabeta:cilp,nodes=1500,opponents=maxn", "alphabeta:cilp,depth=3,opponents=paranoid"),
    *(f"mcts:{kind},cutoff=1,sims=100" for kind in (*EVALUATORS, "CHECKPOINT")),
    *("mcts:cilp,bias=1,minimax=0.3,sims=200", "mcts:CHECKPOINT,cutoff=0,tree=values,sims=100"),
    *("mcts:sims=400", "mcts:playout=mast,tree=rave,lanes=16,sims=400"),
    *("mcts:tree=grave,choice=gibbs,playout=mast,sims=400", "mcts:tree=action,sims=200"),
    *("mcts:playout=action,lanes=16,sims=200", "mcts:tree=knowledge,games=300,sims=200"),
    *("mcts:playout=knowledge,games=300,sims=200", "mcts:tree=action,playout=knowledge,sims=100"),
    *("alphabeta:RULES,depth=2", "alphabeta:HEURISTIC,depth=2", "mcts:HEURISTIC,cutoff=1,sims=100"),
)
"""Player strings; a word in capitals is a source of its own for each game that has one."""
HEURISTICS = {"connectfour5": "max(open lines of 4 with 2 of (cell * * red))"}


def _hash(*parts: object) -> str:
    """Return a hash of arrays, texts and what has an exact text."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype}{part.shape}".encode() + part.tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()[:20]


def _ply(ply: Ply) -> str:
    choices = [number for choice in ply.choices for number in vars(choice).values()]
    values = [value for name, value in vars(ply).items() if name not in ("netlist", "choices")]
    return _hash(*vars(ply.netlist).values(), *choices, *values)


def _text(ply: Ply, shape: Shape, variant: str | None, age_bits: int | None) -> str:
    """Return a hash of what a ply is compiled from; None: it is a step, not a playout."""
    if age_bits is None:
        rows = (np.arange(1, ply.netlist.input_count), ply.legal, [ply.terminal], ply.goals)
        code = make_code(ply, variant, {int(row) for own in rows for row in own}, shape)
        text = write_evaluation(code, shape.words, ternary=shape.ternary)
    else:
        code = make_code(ply, variant, loop_rows(ply), shape)
        text = write_module(code, shape.words, age_bits, ternary=shape.ternary)[0]
    return _hash(text, *pack_tables(code).values())


@cache
def _circuit(path: str) -> Circuit:
    # Not from the cache: it is to be built by the code as it is.
    return compile_rules(load_rules(path), cache=False)


@cache
def _plies(path: str) -> tuple[Ply, Ply, Ply]:
    """Return a game's playout, the same with moves, and its step."""
    circuit = _circuit(path)
    facts = find_facts(circuit)
    play, moves = (build_play(circuit, facts, moves=flag) for flag in (False, True))
    return play, moves, build_step(circuit)


def circuits(path: str) -> Hashes:
    """Return the hash of a game's circuit."""
    circuit = _circuit(path)
    texts = (circuit.roles, circuit.fluents, circuit.moves, circuit.named_goals)
    graph = circuit.graph
    arrays = (getattr(graph, name) for name in sorted(vars(graph)) if not name.startswith("_"))
    own = [part for part in arrays if isinstance(part, np.ndarray)]
    return {Path(path).stem: _hash(*texts, circuit.initial, *own)}


def netlist(path: str) -> Hashes:
    """Return the hashes of a game's netlists."""
    names = ("play", "play with moves", "step")
    plies = zip(names, _plies(path), strict=True)
    return {f"{Path(path).stem} / {name}": _ply(ply) for name, ply in plies}


def sheets(path: str) -> Hashes:
    """Return the hashes of a game's circuit and netlists."""
    circuit = {f"{name} / circuit": own for name, own in circuits(path).items()}
    return circuit | netlist(path)


def code(path: str) -> Hashes:
    """Return the hashes of what LLVM is given."""
    play, moves, step = _plies(path)
    few = shape_for(64)
    found = {
        "play": _text(play, widest(), None, 0),
        "play few": _text(play, few, None, 8),
        "play table": _text(play, widest(), "table", 0),
        "play with moves": _text(moves, widest(), None, 0),
        "step": _text(step, widest(), None, None),
        "step few": _text(step, few, None, None),
        "step table": _text(step, few, "table", None),
    }
    return {f"{Path(path).stem} / {name}": own for name, own in found.items()}


def weights(name: str) -> Hashes:
    """Return the hash of what a learner has learned after some rounds on one core."""
    game = Game.load(name)
    config = fitted(game, {"cores": 1, "lanes": 64}, seed=3)
    learner = LaneLearner(game, config, fresh_rules_network(game, config))
    for _ in range(ROUNDS):
        learner.round()
    state = {**learner.evaluator.state_dict(), **learner.averaged.state_dict(prefix="averaged ")}
    assert learner.counters.matches > 0
    return {name: _hash(*(part.numpy() for _, part in sorted(state.items())))}


def inspect(name: str) -> Hashes:
    """Return the hash of what ``inspect`` says of a checkpoint."""
    # The report names the file.
    with contextlib.chdir(CHECKPOINTS.parent):
        text = _printed("inspect", f"checkpoints/{name}.pt", *INSPECTED[name], "--json")
    return {name: _hash(text)}


def answers(name: str) -> Hashes:
    """Return the hashes of what players answer in three positions of a game."""
    game = Game.load(name)
    found = {}
    with TemporaryDirectory() as folder:
        sources = _sources(name, Path(folder))
        for text in SEARCHES:
            words = re.findall("[A-Z]+", text)
            if all(word in sources for word in words):
                own = re.sub("[A-Z]+", lambda word: sources[word[0]], text)
                found[f"{name} / {text}"] = _hash(list(_answers(game, own)))
    return found


def _sources(name: str, folder: Path) -> dict[str, str]:
    """Return what players of a game can be made of, by what strings call it."""
    sources = {"HEURISTIC": HEURISTICS[name]} if name in HEURISTICS else {}
    path = CHECKPOINTS / f"{name}.pt"
    if not path.exists():
        return sources
    sources["CHECKPOINT"] = str(path)
    if name == "tictactoe":
        rules = folder / "few.rules"
        _printed("inspect", str(path), "--rules", "--out", str(rules), "--json")
        sources["RULES"] = str(rules)
    return sources


def _answers(game: Game, text: str) -> Iterator[object]:
    player = make_player(text)
    assert isinstance(player, SearchPlayer)
    player.start(MatchStart(game, game.players[0], 5))
    role = game.players[0]
    for state in _positions(game, role):
        move = player.choose(state, Limit())
        last = player.last
        assert last is not None
        yield move, last.value, last.proved, last.nodes, last.depth, last.line
        yield sorted(last.scores.items()), sorted(last.tries.items())


def _positions(game: Game, role: int) -> Iterator[State]:
    """Yield the first states, two plies apart, in which a role has a choice."""
    state = game.initial_state()
    for ply in range(9):
        if state.is_terminal:
            return
        if ply % 3 == 0 and len(state.legal_moves[role]) > 1:
            yield state
        state = state.next([moves[(7 * ply + 3) % len(moves)] for moves in state.legal_moves])


def _printed(*arguments: str) -> str:
    """Return what a command prints.

    Raises:
        RuntimeError: it failed.
    """
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
        failed = neurogame(list(arguments))
    if failed:
        raise RuntimeError(f"neurogame {' '.join(arguments)} returned {failed}")
    return output.getvalue()


PARTS: dict[str, tuple[Callable[[str], Hashes], Sequence[str] | None]] = {
    "circuits": (circuits, None),
    "netlist": (netlist, None),
    "code": (code, None),
    "sheets": (sheets, SHEETS),
    "weights": (weights, LEARNERS),
    "inspect": (inspect, tuple(INSPECTED)),
    "answers": (answers, SEARCHED),
}
"""What makes the hashes of each part, and of which games; None: of all rulesheets."""


def _made(parts: Iterable[str], rulesheets: Sequence[str]) -> dict[str, Hashes]:
    """Return the hashes of each part."""
    found: dict[str, Hashes] = {part: {} for part in parts}
    everywhere = [part for part in found if PARTS[part][1] is None]
    jobs = [(part, sheet) for sheet in rulesheets for part in everywhere]
    jobs += [(part, name) for part in found for name in PARTS[part][1] or ()]
    bar = tqdm(jobs, file=bar_stream(), unit="job")
    for part, name in bar:
        bar.set_description(f"{part} {Path(name).stem}")
        if part in ("sheets", next(iter(everywhere), None)):
            _circuit.cache_clear()
            _plies.cache_clear()
        found[part] |= PARTS[part][0](name)
    return found


def _sheets(names: Sequence[str]) -> list[str]:
    """Return the rulesheets that are named, those of folders, or the library."""
    lists = (sorted(map(str, Path(own).glob("*.kif"))) or [own] for own in names)
    return list(chain.from_iterable(lists)) or list(library_names())


def _differences(known: dict[str, Hashes], found: dict[str, Hashes]) -> Iterator[str]:
    """Yield what is not as it was, of the parts and games that were made."""
    for part, hashes in found.items():
        before = known.get(part, {})
        games = {key.split(" / ")[0] for key in hashes}
        for key in sorted({*before, *hashes}):
            if key.split(" / ")[0] in games and before.get(key) != hashes.get(key):
                kind = "new" if key not in before else "gone" if key not in hashes else "differs"
                yield f"{kind}: {part} / {key}"


def main() -> int:
    """Make the hashes, and write or compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", help="rulesheets or folders of them (default: library)")
    usual = [part for part in PARTS if part != "sheets"]
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=usual, metavar="PART")
    parser.add_argument("--write", type=Path, nargs="?", const=FILE, metavar="FILE")
    parser.add_argument("--check", type=Path, nargs="?", const=FILE, metavar="FILE")
    options = parser.parse_args()
    if "sheets" in options.parts:
        left_out = (
            f"left out: {', '.join(SLOW)}" if SHEETS else f"skipped: no rulesheets in {SHARED}"
        )
        print(f"sheets: {left_out}")
    torch.set_num_threads(1)
    begin = time.process_time()
    found = _made(options.parts, _sheets(options.games))
    count = sum(map(len, found.values()))
    print(f"{count} hashes in {time.process_time() - begin:.0f} processor seconds")
    if options.write:
        known = json.loads(options.write.read_text()) if options.write.exists() else {}
        merged = {part: known.get(part, {}) | hashes for part, hashes in found.items()}
        options.write.write_text(json.dumps(known | merged, indent=0) + "\n", encoding="utf-8")
    different = []
    if options.check:
        different = list(_differences(json.loads(options.check.read_text()), found))
        print("\n".join(different) or "all are equal")
    return len(different) > 0


if __name__ == "__main__":
    sys.exit(main())
