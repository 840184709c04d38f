"""What shows itself in notebooks: well-formed, escaped, complete, whatever the game is like."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from neurogame.cli.main import main
from neurogame.evaluators.actions.build import make_action_circuit
from neurogame.evaluators.attribution import Attribution, difference
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.build import make_evaluator
from neurogame.evaluators.fresh import make_fresh
from neurogame.features.candidates import find_candidates
from neurogame.features.feature import Feature
from neurogame.gdl.scramble import scramble
from neurogame.inspect.attribution.attribute import attribute
from neurogame.inspect.attribution.in_short import in_short
from neurogame.inspect.attribution.of_moves import attribute_move
from neurogame.inspect.feature_svg import feature_svg
from neurogame.inspect.html.elements import bar
from neurogame.inspect.html.view import html_of
from neurogame.inspect.move_values import MoveValue, move_values
from neurogame.inspect.moves_svg import moves_svg
from neurogame.inspect.named_state import named_state
from neurogame.inspect.table import Table, told
from neurogame.learn.checkpoints.checkpoint import Checkpoint, empty_checkpoint, load_checkpoint
from neurogame.learn.checkpoints.weights import copied_weights
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.players.record import MatchRecord
from neurogame.search.result import SearchResult
from neurogame.show.paint import FRAME
from neurogame.simulate.game import Game, State
from tests.conftest import REPOSITORY

SHAPES = (
    *("tictactoe", "tictactoe3p", "rockpaperscissors", "eightpuzzle", "nim", "prisoners"),
    *("connectfour_simultaneous", "dotsandboxes"),
)
"""Two roles and three, one, simultaneous moves, no board, no turns, walls as well as squares."""
ODD = """
(role <script>1</script>) (role "b"&c)
(init (at <b> "x")) (init (step 1))
(<= (legal ?r (go "&lt" ?x)) (role ?r) (val ?x))
(val <i>) (val </div>)
(<= (next (at <b> ?x)) (does <script>1</script> (go ?y ?x)))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal ?r 100) (role ?r) (true (at <b> <i>)))
(<= (goal ?r 0) (role ?r) (not (true (at <b> <i>))))
"""


def tree(source: str) -> ElementTree.Element:
    """Return a view as a tree, which it has to be; refuse what does not stand by itself."""
    found = ElementTree.fromstring(source)
    names = {own.tag.rpartition("}")[2] for own in found.iter()}
    assert not names & {"script", "style", "link", "img", "iframe", "object", "b", "i"}
    addresses = set(re.findall(r"https?://[^\s\"']+", source))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in source
    return found


def text(source: str) -> str:
    """Return all that is written in a view."""
    return " ".join(" ".join(tree(source).itertext()).split())


def pictures(source: str) -> int:
    """Return how many boards are drawn."""
    return sum(own.tag.endswith("svg") for own in tree(source).iter())


def found_by(state: State, role: int, tries: Mapping[int, int] | None = None) -> SearchResult:
    """Return what a search might have found."""
    moves = state.legal_moves[role]
    return SearchResult(
        role=role,
        move=moves[0],
        value=tuple(0.25 for _ in state.game.roles),
        proved=False,
        depth=2,
        nodes=1234,
        visits=99,
        seconds=0.5,
        line=(tuple(own[0] for own in state.legal_moves),),
        scores={move: number / len(moves) for number, move in enumerate(moves)},
        tries=tries or {},
        proved_states={},
        state=state,
    )


def random_match(game: Game, seed: int = 1) -> MatchRecord:
    players = [make_player("random", game, seed + n) for n in range(len(game.roles))]
    return play_match(game, players, seed=seed, settings=MatchSettings(opening_plies=1))


@pytest.mark.parametrize("name", SHAPES)
def test_games_of_all_shapes_are_shown(name: str) -> None:
    game = Game.from_rules(scramble(Game.load(name).rules, seed=5).rules, name)
    state = game.initial_state()
    record = random_match(game)
    shown = html_of(record)
    assert all(role in text(shown) for role in game.roles)
    assert pictures(shown) >= 1
    assert f"{record.length} plies" in text(shown)
    evaluator = make_evaluator(game, "mlp")
    for role in range(len(game.roles)):
        if not state.legal_moves[role]:
            continue
        for tries in ({}, dict.fromkeys(state.legal_moves[role], 3)):
            shown = html_of(found_by(state, role, tries))
            best = game.moves[role][state.legal_moves[role][0]]
            assert best in text(shown)
            assert ("visits" in text(shown)) == bool(tries)
        shown = html_of(attribute(evaluator, state, role, method="toggling"))
        assert f"value for {game.roles[role]}" in text(shown)
        assert pictures(shown) == 1
    shown = html_of(evaluator)
    assert name in text(shown)
    assert all(role in text(shown) for role in game.roles)
    shown = html_of(empty_checkpoint(game))
    assert pictures(shown) == 1
    assert "nothing learned" in text(shown)


def test_names_cannot_be_elements() -> None:
    game = Game.from_text(ODD, "<u>odd</u>")
    assert game.roles[0].startswith("<script>")
    state = game.initial_state()
    end = state.next([own[0] for own in state.legal_moves])
    evaluator = make_evaluator(game)
    things: list[object] = [
        random_match(game),
        found_by(state, 0, {0: 1, 1: 2}),
        attribute(evaluator, state, 0),
        attribute(evaluator, end, 1, method="toggling"),
        evaluator,
        trained(game, evaluator),
    ]
    for thing in things:
        shown = text(html_of(thing))
        assert game.roles[0] in shown or game.roles[1] in shown
    assert "<u>odd</u>" in text(html_of(evaluator))


def trained(game: Game, evaluator: Evaluator) -> Checkpoint:
    """Return a checkpoint whose results are as odd as can be."""
    return Checkpoint(
        **{
            **vars(empty_checkpoint(game)),
            "description": evaluator.describe(),
            "weights": copied_weights(evaluator),
            "results": [{"score": None}, {"score": 0.5, "against": "<b>", "low": 0, "high": 1}, {}],
            "counters": {"<b>": 1, "x": "y", "seconds": 1.5},
        }
    )


def test_a_checkpoint_says_what_it_is_and_how_to_play_it() -> None:
    checkpoint = load_checkpoint(REPOSITORY / "checkpoints" / "tictactoe.pt")
    shown = text(checkpoint._repr_html_())
    assert "checkpoint of tictactoe evaluator rules-network" in shown
    assert "xplayer, oplayer" in shown
    assert checkpoint.hash[:16] in shown
    assert f"{checkpoint.counters['matches']:,}" in shown
    assert "neurogame play tictactoe --opponent alphabeta:FILE" in shown
    for row in checkpoint.results:
        assert f"{100 * row['score']:.1f}" in shown
    assert pictures(checkpoint._repr_html_()) == 1
    assert repr(checkpoint) == (
        "Checkpoint('tictactoe': evaluator rules-network, "
        f"learned from {checkpoint.counters['matches']:,} matches)"
    )


def test_judges_are_named_with_a_player_that_uses_them() -> None:
    empty = empty_checkpoint(Game.load("nim"))
    judges = {"knowledge": {"description": {}, "weights": {"w": torch.zeros(3)}}}
    shown = text(html_of(Checkpoint(**{**vars(empty), "judges": judges})))
    assert "judge of moves knowledge" in shown
    assert "--opponent mcts:FILE,tree=knowledge" in shown
    assert "inspect FILE" not in shown


def test_a_checkpoint_of_rules_that_are_read_differently_now_says_so() -> None:
    empty = empty_checkpoint(Game.load("nim"))
    shown = html_of(Checkpoint(**{**vars(empty), "fluents": ["(other)"]}))
    assert "retrain with this version" in text(shown)


def test_evaluators_show_tensors_rules_and_drift() -> None:
    checkpoint = load_checkpoint(REPOSITORY / "checkpoints" / "connectfour.pt")
    game = checkpoint.game()
    shown = text(checkpoint.evaluator(game)._repr_html_())
    assert "evaluator rules-network of connectfour" in shown
    assert "383, with 825,633 rows" in shown
    assert "drift" in shown
    scrambled = Game.from_rules(scramble(game.rules, seed=2).rules, "other")
    renamed = checkpoint.evaluator(checkpoint.mapping(scrambled).namesake)
    shown = text(renamed._repr_html_())
    assert "evaluator rules-network of other" in shown
    assert all(role in shown for role in scrambled.roles)
    assert "rules-network of other" in repr(renamed)
    assert copy.deepcopy(renamed).origin is renamed.origin

    game = Game.load("tictactoe")
    networks = make_evaluator(game)
    shown = text(networks._repr_html_())
    assert "(goal xplayer 100)" in shown
    assert "(<= (line ?s) (true (cell 1 ?y ?s))" in shown
    assert "drift" not in shown
    with torch.no_grad():
        networks.get_parameter("rho").add_(0.1)
    grown = trained(game, networks)
    fresh = copied_weights(make_evaluator(game))
    learned = Checkpoint(**{**vars(grown), "initial_weights": fresh}).evaluator()
    assert "at first drift" in text(learned._repr_html_())


@pytest.mark.parametrize("kind", ["cilp-paper", "fuzzy", "fluxplayer", "blind", "random-net"])
def test_every_kind_shows_itself(kind: str) -> None:
    shown = text(make_fresh(kind, Game.load("nim"))._repr_html_())
    assert shown.startswith("evaluator ")
    assert "fluents" in shown


def test_an_evaluator_of_nobody_knows_shows_what_it_is() -> None:
    class Halves(Evaluator):
        def forward(self, fluents: torch.Tensor) -> torch.Tensor:
            return torch.full((len(fluents), self.role_count), 0.5)

    shown = text(html_of(Halves(4, 3, {})))
    assert "evaluator Halves" in shown
    assert "3 roles" in shown
    circuit = Game.load("nim").circuit
    assert "evaluator cilp" in text(html_of(make_evaluator(circuit)))


def test_an_attribution_lists_what_adds_up_and_paints_it() -> None:
    game = Game.load("connectfour")
    evaluator = load_checkpoint(REPOSITORY / "checkpoints" / "connectfour.pt").evaluator(game)
    state = named_state(game, "random:9:3")
    found = attribute(evaluator, state, 1)
    shown = found._repr_html_()
    assert f"value for black: {found.value:.3f}" in text(shown)
    assert all(str(row["text"]) in text(shown) for row in in_short(found))
    assert f"{found.total:+.4f} in all" in text(shown)
    assert "left over" in text(shown)
    assert repr(found).startswith(f"Attribution({found.value:.3f} for role 1: exact, ")
    assert "State" not in str(found.to_json())
    assert 'fill="#c53030"' in shown
    after = state.next([own[-1] for own in state.legal_moves])
    shown = difference(attribute(evaluator, after, 1), found)._repr_html_()
    assert "less that of another state" in text(shown)
    assert pictures(shown) == 2
    bare = Attribution(**{**vars(found), "state": None})
    assert pictures(html_of(bare)) == 0
    assert "value for role 1" in text(html_of(bare))


def test_moves_are_explained_by_judges_and_evaluators() -> None:
    game = Game.load("tictactoe")
    state = named_state(game, "random:4:1")
    judges = (make_action_circuit(game), make_evaluator(game, "mlp"))
    for judge in judges:
        one, other = (attribute_move(judge, state, 0, move) for move in state.legal_moves[0][:2])
        assert game.moves[0][state.legal_moves[0][0]] in text(one._repr_html_())
        assert pictures(one._repr_html_()) == 1
        shown = text(difference(one, other)._repr_html_())
        assert f"another {'move' if judge is judges[0] else 'state'}" in shown


def test_visits_are_painted_where_moves_put_pieces() -> None:
    state = named_state(Game.load("tictactoe"), "random:4:1")
    moves = state.legal_moves[0]
    shown = found_by(state, 0, {move: 100 * (n == 1) for n, move in enumerate(moves)})._repr_html_()
    assert ">+1</text>" in shown
    assert shown.count('fill="#2b6cb0" fill-opacity') == 1
    assert 'stroke="#b7791f"' in shown
    assert "State" not in repr(found_by(state, 0))
    alone = SearchResult(**{**vars(found_by(state, 0)), "state": None})
    assert pictures(html_of(alone)) == 0
    assert f"move {moves[0]}" in text(html_of(alone))


def test_moves_are_those_of_the_roles_that_choose() -> None:
    game = Game.load("tictactoe")
    record = random_match(game)
    shown = text(record._repr_html_())
    assert "noop" not in shown
    assert f"xplayer {record.moves[0][0]}" in shown
    assert f"tictactoe: xplayer {record.goals[0]:g}, oplayer {record.goals[1]:g}" in shown
    read = MatchRecord.from_json(record.to_json())
    assert read == record
    assert read.played is None
    assert pictures(html_of(read)) == 0
    assert record.moves[0][0] in text(html_of(read))
    assert html_of(replace(read, played=game)) == record._repr_html_()
    assert pictures(html_of(replace(read, played=Game.load("nim")))) == 0


def test_a_match_in_which_somebody_had_no_move_is_shown() -> None:
    stuck = Game.from_text(
        "(role one) (init (p a)) (<= (legal one go) (true (p a)))"
        "(<= (next (p b)) (does one go)) (<= terminal (true (p z))) (goal one 30)"
    )
    record = play_match(stuck, [make_player("random", stuck, 0)])
    assert "one 30 (stuck)" in text(record._repr_html_())
    end = stuck.state(["(p b)"])
    nowhere = SearchResult(**{**vars(found_by(stuck.initial_state(), 0)), "state": end})
    assert "one: go" in text(nowhere._repr_html_())


def test_other_things_have_no_view() -> None:
    with pytest.raises(TypeError, match="int has no view"):
        html_of(3)


def test_a_table_is_lines_a_view_and_a_tree_for_the_page() -> None:
    rows = [{"a": "1 & 2", "n": 1234.5, "squares": ["0/1.2.3"]}, {"a": "<i>", "n": -3.0}]
    columns = "what={a} | amount <={n:,.1f}"
    table = Table(rows, columns, "title", bars={"amount <": ("n", 0.0)})
    assert told(["first", Table([], ""), table]) == (
        "first\n\ntitle\nwhat   amount <\n1 & 2   1,234.5\n<i>        -3.0"
    )
    shown = table.element().source
    assert text(shown) == "title what amount < 1 & 2 1,234.5 <i> -3.0"
    assert shown.count("width:50%") == 1
    assert "0/1.2.3" not in shown
    line = table.element().to_json()[4][3][4]
    assert (line[0], line[2], line[3][3]) == ("tr", ["0/1.2.3"], "1 & 2")
    short = Table(rows, columns, listed=1).element().source
    assert "1 more" in text(short)
    assert "width:25%" in bar(0.25).source
    assert "left:25%;width:25%" in bar(-0.5, signed=True).source
    assert "width:100%" in bar(7.0).source


SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """Return what is written in a picture."""
    return [own.text or "" for own in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def squares(svg: str, *, frame: bool) -> int:
    """Return how many squares have a frame, or a move."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}rect")
    return sum(
        own.get("stroke") == FRAME if frame else own.get("fill-opacity") is not None
        for own in found
    )


def test_each_move_has_its_value_on_its_square() -> None:
    game = Game.load("connectfour")
    state = named_state(game, "random:9:3")
    evaluator = make_evaluator(game, "cilp")
    role = next(role for role, own in enumerate(state.legal_moves) if len(own) > 1)
    moves = move_values(evaluator, state)[role]
    svg = moves_svg(state, role, moves, shares=True)
    shown = texts(svg)
    assert shown[0] == f"{game.roles[role]}: value of each move, %"
    for own in moves:
        assert f"{100 * own.value:.0f}" in shown
    assert squares(svg, frame=True) == 1
    assert squares(svg, frame=False) == len(moves) == 7


def test_a_square_shows_the_best_move_and_of_the_squares_the_empty_one() -> None:
    game = Game.load("breakthrough6")
    state = game.initial_state()
    legal = state.legal_moves[0]
    values = [1 - number / len(legal) for number in range(len(legal))]
    moves = tuple(
        MoveValue(move=move, text=game.moves[0][move], value=value)
        for move, value in zip(legal, values, strict=True)
    )
    svg = moves_svg(state, 0, moves, shares=True)
    # All moves lead to the third row, several to one square of it.
    assert squares(svg, frame=False) == 6 < len(legal)
    assert squares(svg, frame=True) == 1


def test_moves_that_change_no_board_are_listed() -> None:
    game = Game.load("prisoners")
    moves = tuple(
        MoveValue(move=move, text=text, value=float(move))
        for move, text in enumerate(game.moves[0])
    )[::-1]
    shown = texts(moves_svg(game.initial_state(), 0, moves, shares=False))
    assert shown[0].endswith("score of each move")
    assert all(any(own.text in line for line in shown) for own in moves)


def test_the_command_draws_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "moves.svg"
    words = ["inspect", "tictactoe", "--state", "random:3:1", "--svg", str(path)]
    assert main([*words, "--method", "toggling"]) == 0
    capsys.readouterr()
    assert texts(path.read_text())[0] == "oplayer: value of each move, %"
    over = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 2 o) (cell 3 2 o) (control oplayer)"
    path.unlink()
    assert main([*words[:2], "--state", over, "--svg", str(path)]) == 1
    assert "the game is over" in capsys.readouterr().err
    assert not path.exists()


def named(game: Game, text: str) -> Feature:
    return next(one for one in find_candidates(game) if one.text == text)


def test_every_square_has_its_weight() -> None:
    game = Game.load("breakthrough6")
    way = named(game, "way of (cell * * white) to the goal of white, 0 to 1 each")
    shown = texts(feature_svg(way, game))
    # Five of six ranks count, by a fifth more each; each has six squares.
    for number in ("0.2", "0.4", "0.6", "0.8"):
        assert shown.count(number) == 6
    assert "white: each counts" in shown
    assert not any(text.startswith("black") for text in shown)


def test_what_is_taken_away_is_red() -> None:
    game = Game.load("breakthrough6")
    more = named(game, "number of (cell * * black), less that of white")
    svg = feature_svg(more, game)
    blue, red = (len(re.findall(colour, svg)) for colour in ("#2b6cb0", "#c53030"))
    assert blue == red == 36


def test_squares_of_lines_have_the_number_of_lines() -> None:
    game = Game.load("tictactoe")
    lines = named(game, "open lines of 3 with 2 of (cell * * x)")
    shown = texts(feature_svg(lines, game))
    # Of x and of o, which closes a line: three through a corner, two through an edge, four.
    assert [shown.count(number) for number in ("4",)] == [2]
    assert "x: look-ups that read it" in shown


def test_what_is_on_no_board_is_listed() -> None:
    game = Game.load("bidding_tictactoe")
    coins = next(one for one in find_candidates(game) if "coins" in one.text)
    assert any("facts: (coins" in text for text in texts(feature_svg(coins, game)))
    moves = named(game, "legal moves of x")
    assert any(text.startswith("legal moves: ") for text in texts(feature_svg(moves, game)))


def test_the_command_draws_what_features_it_chooses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["features", "tictactoe", "--games", "2048", "--quiet", "--pictures"]
    assert main([*words, str(tmp_path / "new" / "folder")]) == 0
    chosen = int(capsys.readouterr().out.split(" chosen")[0].split(", ")[-1])
    assert len(list((tmp_path / "new" / "folder").glob("*.svg"))) == chosen > 0
    (tmp_path / "file").write_text("")
    assert main([*words, str(tmp_path / "file")]) == 1
    assert "name a folder" in capsys.readouterr().err
