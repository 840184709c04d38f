"""The loop over plies: one function that plays blocks of lanes, around the gates of a ply.

A block's lanes are one vector of words, or a few; its signals stay in the cache for many plies.
"""

from __future__ import annotations

from neurogame.kernels.codegen.block_frame import BlockFrame
from neurogame.kernels.codegen.ends import count_ended, keep_final
from neurogame.kernels.codegen.frame import (
    Argument,
    Counter,
    GateCode,
    Offset,
    Part,
    PlayoutFrame,
)
from neurogame.kernels.codegen.rank import Draw, first_attempt, write_rank
from neurogame.kernels.codegen.text import Text
from neurogame.kernels.netlist.netlist import (
    AND_AND_NOT,
    AND_NOT,
    AND_SAME,
    OR_AND,
    SELECT,
)
from neurogame.kernels.netlist.ply import Choice

_NEVER = (1 << 31) - 1

_VECTORS_PER_DRAW = 2


def write_module(
    code: GateCode, words: int, age_bits: int, *, ternary: bool
) -> tuple[str, BlockFrame]:
    """Write the function ``play(arguments)``; see :class:`Argument`.

    Args:
        code: the gates.
        words: words of a vector.
        age_bits: bits of the steps at which games began, so many that ages up to the limit of
            plies can be told apart; 0: no game is cut.
        ternary: see :class:`Text`.

    Returns:
        The module, and the memory that it is made for.
    """
    text = Text(words, ternary=ternary)
    frame = BlockFrame(text, code, age_bits)
    text.begin("entry")
    frame.begin()
    blocks = (frame.argument[Argument.BLOCK], frame.argument[Argument.BLOCK_END])
    with text.count(*blocks, "block") as block:
        frame.set_block(block)
        _enter(frame)
        play_lanes(frame, "0")
    text.do("ret void")
    return text.module("void @play(ptr noalias %arguments)"), frame


def _enter(frame: PlayoutFrame) -> None:
    """Read what the block's lanes begin with."""
    text, argument = frame.text, frame.argument
    given = frame.given(Argument.STATE)
    with frame.vectors() as offset:
        for name, source in (("base", Argument.BASE), ("open", Argument.OPEN)):
            value = text.load(frame.columns(source, offset), aligned=False)
            text.store(value, frame.own(name, offset))
        for name in ("fresh", "far"):
            text.store("zeroinitializer", frame.own(name, offset))
        for number in range(2):
            text.store("zeroinitializer", frame.own_number("recent", number, offset))
            text.store("zeroinitializer", frame.own_number("left", number, offset))
        with text.count(0, argument[Argument.LEFT_BITS]) as bit:
            value = text.load(frame.columns(Argument.LEFT, offset, bit), aligned=False)
            text.store(value, frame.own("left", offset, bit))
        for number, plane in enumerate(bit_planes(text, argument[Argument.STEP], frame.age_bits)):
            text.store(plane, frame.own_number("age", number, offset))
        with text.when(given):
            for fluent in frame.each_fluent():
                value = text.load(frame.columns(Argument.STATE, offset, fluent), aligned=False)
                text.store(value, frame.cell(0, offset, fluent))
        with text.when(text.let(f"xor i1 {given}, true")):
            for fluent in frame.each_fluent():
                place = text.integer("shl", fluent, 3)
                word = text.load_integer(text.at(frame.pointer(Argument.INITIAL), place))
                text.store(text.splat(word), frame.cell(0, offset, fluent))
        if frame.moves:
            with text.count(0, frame.moves) as move:
                text.store("zeroinitializer", frame.own("made", offset, move))


def play_lanes(frame: PlayoutFrame, looked: str, pause: tuple[str, str] | None = None) -> None:
    """Look, count what has ended, choose and move, until no look or no open lane is left.

    Args:
        frame: the memory.
        looked: looks that were made before; an i64.
        pause: looks after which to break off, an i64, and the label to go to; None: never.
    """
    text, code = frame.text, frame.code
    head, move, after = (text.new_label(name) for name in ("look", "move", "left"))
    counter, following = text.new("step"), text.new("step")
    again = text.loop(head, (counter, "i64", looked))
    if pause is not None:
        look = text.new_label("look")
        due = text.let(f"icmp sge i64 {counter}, {pause[0]}")
        text.do(f"br i1 {due}, label %{pause[1]}, label %{look}")
        text.begin(look)
    text.lines.append(f"  {following} = add i64 {counter}, 1")
    step = text.integer("add", counter, frame.argument[Argument.STEP])
    code.write(text, Part.LOOK, frame.memory)
    with text.when(_find_over(frame, step, following), "over"):
        code.write(text, Part.GOALS, frame.memory)
        opened = count_ended(frame, step, following)
        if frame.age_bits:
            _begin_games(frame, step)
        going = text.new_label("going")
        text.do(f"br i1 {opened}, label %{going}, label %{after}")
        text.begin(going)
    if not frame.age_bits:
        _check_epoch(frame, following, after)
    more = text.let(f"icmp slt i64 {following}, {frame.argument[Argument.LOOKS]}")
    text.do(f"br i1 {more}, label %{move}, label %{after}")
    text.begin(move)
    for choice in frame.ply.choices:
        _choose(frame, choice, step)
    _remember_early(frame)
    code.write(text, Part.MOVE, frame.memory)
    if frame.moves:
        _remember(frame)
    again(following)
    text.do(f"br label %{head}")
    text.begin(after)
    _leave(frame, following)


def _find_over(frame: PlayoutFrame, step: str, looks: str) -> str:
    """Find the lanes whose game is over; return whether one of them was open; i1."""
    text, ply = frame.text, frame.ply
    ending = text.let(f"icmp sge i64 {looks}, {frame.argument[Argument.LOOKS]}")
    ending = text.let(f"and i1 {ending}, {frame.given(Argument.REACHED)}")
    last = text.splat(text.let(f"sext i1 {ending} to i64"))
    planes = []
    if frame.age_bits:
        began = text.integer("sub", step, frame.argument[Argument.MAX_PLIES])
        planes = bit_planes(text, began, frame.age_bits)
        flag = text.let(f"sext i1 {frame.given(Argument.MAX_PLIES)} to i64")
        limited = text.splat(flag)
    if frame.code.width > 1:
        text.store("zeroinitializer", frame.own("any", 0))
    ended = ""
    with frame.vectors() as offset:
        over = text.both("or", last, frame.row(ply.terminal, offset))
        if ply.stuck:
            over = text.both("or", over, frame.row(ply.stuck, offset))
        open_ = text.load(frame.own("open", offset))
        if planes:
            cut = text.both("and", open_, limited)
            for number, plane in enumerate(planes):
                age = text.load(frame.own_number("age", number, offset))
                cut = text.gate(AND_SAME, cut, age, plane)
            over = text.both("or", over, cut)
        frame.keep("over", over, offset)
        if ply.reset:
            frame.set_row(ply.reset, over, offset)
        ended = text.both("and", over, open_)
        frame.keep("ended", ended, offset)
        if frame.code.width > 1:
            any_ended = text.both("or", ended, text.load(frame.own("any", 0)))
            text.store(any_ended, frame.own("any", 0))
    return text.any(ended if frame.code.width == 1 else text.load(frame.own("any", 0)))


def _begin_games(frame: PlayoutFrame, step: str) -> None:
    """Write down when the next games of the lanes that are over begin."""
    text = frame.text
    planes = bit_planes(text, text.integer("add", step, 1), frame.age_bits)
    with frame.vectors() as offset:
        over = frame.get("over", offset)
        for number, plane in enumerate(planes):
            at = frame.own_number("age", number, offset)
            text.store(text.gate(SELECT, over, plane, text.load(at)), at)


def _check_epoch(frame: PlayoutFrame, looks: str, after: str) -> None:
    """Give up at the end of an epoch if some open lane has not ended a game in it.

    A game that reaches the limit of plies covers an epoch of half that length, so as long as no
    lane fails here, no game is to be cut.
    """
    text, epoch = frame.text, frame.argument[Argument.EPOCH]
    # There are no more looks than fit into 32 bits, by which a GPU divides much faster.
    none = text.let(f"icmp uge i64 {text.integer('sub', epoch, 1)}, {_NEVER}")
    divisor = text.let(f"select i1 {none}, i64 {_NEVER}, i64 {epoch}")
    narrow = [text.let(f"trunc i64 {number} to i32") for number in (looks, divisor)]
    due = text.let(f"urem i32 {narrow[0]}, {narrow[1]}")
    with text.when(text.let(f"icmp eq i32 {due}, 0"), "epoch"):
        text.store("zeroinitializer", frame.own("any", 0))
        with frame.vectors() as offset:
            fresh = text.load(frame.own("fresh", offset))
            late = text.gate(AND_NOT, text.load(frame.own("open", offset)), fresh, "")
            text.store(text.both("or", late, text.load(frame.own("any", 0))), frame.own("any", 0))
            text.store("zeroinitializer", frame.own("fresh", offset))
        with text.when(text.any(text.load(frame.own("any", 0))), "late"):
            frame.give_up()
            dead = text.new_label("dead")
            text.do(f"br label %{after}")
            text.begin(dead)


def _choose(frame: PlayoutFrame, choice: Choice, step: str) -> None:
    """Draw the ranks of a choice, for two vectors at a time, which share the loop of attempts."""
    text = frame.text
    for begin in range(0, frame.code.width, _VECTORS_PER_DRAW):
        vectors = range(begin, min(begin + _VECTORS_PER_DRAW, frame.code.width))
        offsets = [vector * text.bytes for vector in vectors]
        ranks = write_rank(text, [_draw(frame, choice, step, offset) for offset in offsets])
        for offset, rank in zip(offsets, ranks, strict=True):
            for row, value in zip(choice.rank.tolist(), rank, strict=True):
                frame.set_row(row, value, offset)


def _draw(frame: PlayoutFrame, choice: Choice, step: str, offset: int) -> Draw:
    text = frame.text
    over, open_ = frame.get("over", offset), text.load(frame.own("open", offset))
    some = frame.row(choice.some, offset)
    return Draw(
        first=first_attempt(text, frame.base(offset), step, choice.stream),
        total=[frame.row(int(row), offset) for row in choice.total],
        mask=[frame.row(int(row), offset) for row in choice.mask],
        missing=text.gate(AND_AND_NOT, some, open_, over),
        upper=frame.upper,
    )


def _remember(frame: PlayoutFrame) -> None:
    """Add the moves of this step to those made in the game."""
    text = frame.text
    with frame.vectors() as offset:
        moving = _moving(frame, offset)
        with text.count(0, frame.moves) as move:
            place = text.at(frame.pointer(Argument.DOES), text.integer("shl", move, 3))
            at = text.at(text.at(frame.memory, text.load_integer(place)), offset)
            made = frame.own("made", offset, move)
            text.store(text.gate(OR_AND, text.load(made), text.load(at), moving), made)


def _remember_early(frame: PlayoutFrame) -> None:
    """Add the moves that a fluent tells, before the step overwrites it."""
    text = frame.text
    for move, row in frame.early_moves():
        with frame.vectors() as offset:
            made = frame.own_number("made", move, offset)
            does, moving = frame.row(row, offset), _moving(frame, offset)
            text.store(text.gate(OR_AND, text.load(made), does, moving), made)


def _moving(frame: PlayoutFrame, offset: Offset) -> str:
    """Return the lanes in whose game a move is made."""
    open_ = frame.text.load(frame.own("open", offset))
    return frame.text.gate(AND_NOT, open_, frame.get("over", offset), "")


def _leave(frame: PlayoutFrame, looks: str) -> None:
    """Write which lanes still play, and if they are wanted their final states and moves."""
    text = frame.text
    with frame.vectors() as offset:
        open_ = text.load(frame.own("open", offset))
        text.store(open_, frame.columns(Argument.OPEN, offset), aligned=False)
        frame.add(Counter.LOOKS, open_, looks)
        keep_final(frame, open_, offset, "when")
    if frame.moves:
        with (
            text.when(frame.given(Argument.PLAYED), "played"),
            frame.vectors() as offset,
            text.count(0, frame.moves, "move") as move,
        ):
            made = text.load(frame.own("made", offset, move))
            text.store(made, frame.columns(Argument.PLAYED, offset, move), aligned=False)


def bit_planes(text: Text, number: str, count: int) -> list[str]:
    """Return the low bits of an i64, least significant first, each as a vector of 0 or -1."""
    planes = []
    for bit in range(count):
        low = text.integer("and", text.integer("lshr", number, bit), 1)
        planes.append(text.splat(text.integer("sub", "0", low)))
    return planes
