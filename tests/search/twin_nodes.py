"""What the twin of the tree search keeps: edges, nodes, and simulations on their way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from neurogame.simulate.game import State

Real = np.float32
_NONE = Real(0)


@dataclass
class Edge:
    """A move of a deciding role."""

    move: int
    visits: int = 0
    total: Real = _NONE
    pending: int = 0
    known: Real | None = None
    seen: int = 0
    hits: Real = _NONE
    hint: Real = _NONE
    prior: Real = _NONE


@dataclass
class Node:
    """A state in the tree."""

    index: int
    state: State
    exact: tuple[Real, ...] | None = None
    visits: int = 0
    ends: int = 0
    pending: int = 0
    sums: list[Real] = field(default_factory=list)
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    tried: dict[int, int] = field(default_factory=dict)
    children: dict[tuple[int, ...], Node] = field(default_factory=dict)
    settled: bool = False
    table: dict[int, list[Real]] | None = None
    hints: list[Real] = field(default_factory=list)
    judged: bool = False
    proved: set[tuple[int, ...]] = field(default_factory=set)
    """Joint moves that a proof has come back by; others may lead to the same child."""
    plies: int = 0
    """To the end, at most, where the values are proved; where several roles decide also before."""
    compared: bool = False
    """Whether visits and sums are those of simulations that compare it with moves alike."""
    least: dict[int, float] = field(default_factory=dict)
    """Winner -> least plies to its win, where that was pursued."""


@dataclass
class Simulation:
    """A simulation on its way."""

    path: list[tuple[Node, tuple[int, ...]]] = field(default_factory=list)
    node: Node | None = None
    over: bool = False
    step: bool = False
