"""A small goal network as a picture: who reads whom, how strongly, and what learning changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from neurogame.errors import GameError
from neurogame.evaluators.base import Evaluator
from neurogame.evaluators.goal_networks import WeightedNetworks
from neurogame.graph.graph import AND
from neurogame.graph.prune import needed_gates
from neurogame.inspect.weights import row_label, unit_labels, weighted
from neurogame.show.paint import NEGATIVE, POSITIVE

EDGE_LIMIT = 2000
COLUMN, LINE, MARGIN = 220, 22, 40
STRONGER, WEAKER = "#2f855a", "#c05621"


def network_svg(evaluator: Evaluator, network: int, initial: Evaluator | None = None) -> str:
    """Return one goal network as SVG: fluents on the left, the goal on the right.

    The width of an edge is its absolute weight. Its colour is its sign (blue positive, red
    negative); with ``initial``, what learning did to its absolute weight (green grown, orange
    shrunk), as strongly as it did. Neurons are dark for "and" and light for "or". Every edge and
    neuron names itself when pointed at.

    Args:
        evaluator: goal networks with weights.
        network: index into its ``network_keys``.
        initial: the same evaluator before learning.

    Raises:
        GameError: the evaluator has no such weights, the goal is constant, or the network has
            more than :data:`EDGE_LIMIT` edges.
    """
    networks = weighted(evaluator)
    units = _units_of(networks, network)
    wiring = networks.wiring
    edges = [(u, e) for u in units for e in range(*wiring.start[u : u + 2].tolist())]
    if len(edges) > EDGE_LIMIT:
        raise GameError(
            f"the network of {wiring.proof.goal_label(network)} has {len(edges)} edges; "
            f"at most {EDGE_LIMIT} can be drawn"
        )
    places = _places(networks, units, [int(wiring.row[edge]) for _, edge in edges])
    height = max(y for _, y in places.values()) + MARGIN
    width = max(x for x, _ in places.values()) + COLUMN
    body = _edges(networks, edges, places, initial) + _neurons(networks, places)
    title = escape(wiring.proof.goal_label(network))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="11"><title>{title}</title>'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(body)}</svg>'
    )


def _units_of(networks: WeightedNetworks, network: int) -> list[int]:
    """Return the neurons that a network's output depends on, children first."""
    wiring = networks.wiring
    if not 0 <= network < len(networks.network_keys):
        raise GameError(
            f"there is no goal network {network}; this game has {len(networks.network_keys)}, "
            "numbered from 0"
        )
    if wiring.output_row[network] == 0:
        raise GameError(f"{wiring.proof.goal_label(network)} is constant: there is no network")
    units: list[int] = needed_gates(
        wiring.graph.with_outputs(wiring.graph.outputs[[network]])
    ).tolist()
    return units


def _places(
    networks: WeightedNetworks, units: list[int], read: list[int]
) -> dict[int, tuple[int, int]]:
    """Return the x and y of each row: one column per level, evenly spread."""
    wiring = networks.wiring
    columns: dict[int, list[int]] = {0: sorted({r for r in read if r < wiring.first_unit_row})}
    for unit in units:
        columns.setdefault(int(wiring.graph.level[unit]), []).append(unit + wiring.first_unit_row)
    tallest = max(len(rows) for rows in columns.values())
    places: dict[int, tuple[int, int]] = {}
    for column, level in enumerate(sorted(columns)):
        rows = columns[level]
        for index, row in enumerate(rows):
            y = MARGIN + LINE * (tallest * (2 * index + 1)) // (2 * len(rows))
            places[row] = (COLUMN // 2 + 60 + column * COLUMN, y)
    return places


def _edges(
    networks: WeightedNetworks,
    edges: Sequence[tuple[int, int]],
    places: Mapping[int, tuple[int, int]],
    initial: Evaluator | None,
) -> list[str]:
    """Return lines; ``edges``: the neuron that reads, and the number of the edge."""
    wiring = networks.wiring
    now = networks.signed_weights().tolist()
    then = now if initial is None else weighted(initial).signed_weights().tolist()
    widest = max(abs(now[e]) for _, e in edges) or 1.0
    most = max(abs(abs(now[e]) - abs(then[e])) for _, e in edges) or 1.0
    lines: list[str] = []
    for unit, edge in edges:
        (x1, y1), (x2, y2) = places[int(wiring.row[edge])], places[unit + wiring.first_unit_row]
        growth = abs(now[edge]) - abs(then[edge])
        if initial is None:
            colour, opacity = (POSITIVE if now[edge] >= 0 else NEGATIVE), 0.6
        else:
            colour = STRONGER if growth >= 0 else WEAKER
            opacity = 0.15 + 0.8 * abs(growth) / most
        lines.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" '
            f'stroke-opacity="{opacity:.2f}" '
            f'stroke-width="{0.3 + 3.0 * abs(now[edge]) / widest:.2f}">'
            f"<title>{now[edge]:.4f} (initially {then[edge]:.4f})</title></line>"
        )
    return lines


def _neurons(networks: WeightedNetworks, places: dict[int, tuple[int, int]]) -> list[str]:
    wiring, labels = networks.wiring, unit_labels(networks)
    shapes: list[str] = []
    for row, (x, y) in places.items():
        text = escape(row_label(networks, row, labels))
        unit = row - wiring.first_unit_row
        if unit < 0:
            fill = "white"
            shapes.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{text}</text>')
        else:
            fill = "#444" if wiring.graph.kind[unit] == AND else "#aaa"
            short = escape(labels[unit][:30])
            shapes.append(f'<text x="{x + 9}" y="{y - 6}">{short}</text>')
        shapes.append(
            f'<circle cx="{x}" cy="{y}" r="5" fill="{fill}" stroke="#444"><title>{text}</title>'
            "</circle>"
        )
    return shapes
