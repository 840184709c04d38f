"""The rulesheets that matches over HTTP are played on, and their play clocks."""

from __future__ import annotations

Course = dict[str, tuple[int, ...]]
"""Rulesheets and their play clocks in seconds, taken in turn: long games have short clocks."""

TEN: Course = {
    "ticTacToe": (5, 2, 3),
    "connectFour": (1,),
    "lightsOnSimultaneous": (1, 2),
    "blocker": (4, 2, 3),
    "breakthroughSmall": (1,),
    "tictactoe_3player": (1, 2),
    "nim3": (2, 1, 3),
    "connectFourSimultaneous": (1,),
    "sum15": (3, 5, 4),
    "biddingTicTacToe": (2, 1),
}

_SHORTEST = (
    *("onestep", "survival", "gt_two_thirds_2p", "coins_atomic", "ad_game_2x2", "gt_dollar"),
    *("coins", "blocksWorld", "ruleDepthExponential", "stateSpaceSmall", "tictactoe-init1"),
    *("duplicateStateSmall", "snake2p", "gt_two_thirds_6p", "blokbox_simple"),
)
_SHORT = (
    *("ruleDepthLinear", "knightfight", "max_knights", "hidato19", "untwistycomplex2", "guess"),
    *("kitten_escapes_from_fire", "circlesolitaire", "bunk_t", "tictactoe2", "queens08ug"),
    *("doubletictactoe", "nonogram_5x5_1", "blocker", "sum15", "numbertictactoe", "ticTacToe"),
    *("minichess-evilconjuncts", "coloredtrails", "stateSpaceMedium", "racer", "queens"),
    *("colonelBlottoVariant", "pearls", "catcha_mouse"),
)
FORTY: Course = {
    **dict.fromkeys(_SHORTEST, (1, 2, 3, 5, 4)),
    **dict.fromkeys(_SHORT, (1, 2, 1, 3, 1)),
}
"""Forty of the shared rulesheets with short recorded games, so that many matches fit into an hour;
nothing is said of heavy ones."""

_LEARNED = (
    *("ticTacToe", "connectFour", "breakthroughSmall", "pentago", "quarto", "nineBoardTicTacToe"),
    *("biddingTicTacToe", "knightThrough", "connectFourSimultaneous", "tictactoe_3player"),
    *("cephalopodMicro", "dotsAndBoxes", "atariGoVariant_7x7", "sheepAndWolf", "sum15", "nim3"),
    *("checkersTiny", "doubletictactoe", "cubicup_3player", "ticTacToeLarge"),
)
TWENTY: Course = dict.fromkeys(_LEARNED, (2,))
"""Twenty of the shared rulesheets in which there is something to be learned in a start clock."""

COURSES = {"ten": TEN, "twenty": TWENTY, "forty": FORTY}
