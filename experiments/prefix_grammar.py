"""Would a grammar of pyparsing do for prefix rules, too?

Prints how long the reader of the package and such a grammar take for a rulesheet, and how deep a
term may be before the grammar exhausts Python's stack; rulesheets may have 100 levels::

    python experiments/prefix_grammar.py ../shared/games/chess_200.kif
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyparsing

from neurogame.gdl.lines import Lines
from neurogame.gdl.nodes import Group, Node, Word, read_nodes

GAP = r"(?:\s++|;[^\r\n]*+)*+"


def prefix_grammar(text: str) -> pyparsing.ParserElement:
    """Return a grammar whose results are the nodes of a text."""
    position = Lines(text).position

    def word(_text: str, offset: int, tokens: pyparsing.ParseResults) -> Word:
        return Word(tokens[0][1], position(offset))

    def group(_text: str, offset: int, tokens: pyparsing.ParseResults) -> Group:
        items: list[Node] = list(tokens)
        return Group(position(offset), items)

    def token(pattern: str) -> pyparsing.ParserElement:
        return pyparsing.Regex(pattern + GAP, as_match=True)

    node = pyparsing.Forward()
    items = token(r"\(").suppress() + node[...] + token(r"\)").suppress()
    node <<= token(r"([^\s();]+)").set_parse_action(word) | items.set_parse_action(group)
    nodes = pyparsing.Regex(GAP).suppress() + node[...]
    grammar: pyparsing.ParserElement = nodes.leave_whitespace().parse_with_tabs()
    return grammar


def seconds(read: Callable[[], object]) -> float:
    """Return the median of five processor times."""
    times = []
    for _ in range(5):
        start = time.process_time()
        read()
        times.append(time.process_time() - start)
    return statistics.median(times)


def main() -> None:
    """Print the figures for the rulesheet of the command line."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    grammar = prefix_grammar(text)
    assert list(grammar.parse_string(text, parse_all=True)) == read_nodes(text)[0]
    print(f"reader: {seconds(lambda: read_nodes(text)):.3f} s")
    print(f"grammar: {seconds(lambda: grammar.parse_string(text)):.3f} s")
    depth = 0
    try:
        while depth < 1000:
            depth += 1
            grammar.parse_string("(" * depth + ")" * depth, parse_all=True)
    except RecursionError:
        print(f"levels without a RecursionError: {depth - 1}")


if __name__ == "__main__":
    main()
