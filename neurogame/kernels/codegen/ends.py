"""What happens when games end: counting, and deciding which lanes play on."""

from __future__ import annotations

from neurogame.kernels.codegen.frame import Argument, Counter, Offset, PlayoutFrame
from neurogame.kernels.netlist.netlist import (
    AND_AND,
    AND_AND_NOT,
    AND_NOR,
    AND_NOT,
    AND_OR,
    BORROW,
    OR_AND,
    OR_AND_NOT,
    XOR,
    XOR_AND,
)


def count_ended(frame: PlayoutFrame, step: str, looks: str) -> str:
    """Write what follows the goals: counters, lengths, final states, moves, lanes that stop.

    Args:
        frame: the memory.
        step: number of the step; an i64.
        looks: looks at this block up to now; an i64.

    Returns:
        Whether some lane is still open; i1.
    """
    text = frame.text
    with frame.vectors() as offset:
        ended = frame.get("ended", offset)
        _count_games(frame, ended, offset)
        if not frame.age_bits:
            fresh = frame.own("fresh", offset)
            text.store(text.both("or", text.load(fresh), ended), fresh)
        keep_final(frame, ended, offset)
        _keep_goals(frame, ended, offset)
    if frame.moves:
        with text.when(frame.given(Argument.MADE), "moves"), frame.vectors() as offset:
            _count_moves(frame, frame.get("ended", offset), offset)
    with text.when(frame.given(Argument.START), "lengths"), frame.vectors() as offset:
        text.store(frame.get("ended", offset), frame.own("ended", offset))
        _count_lengths(frame, step, offset)
    with text.when(frame.given(Argument.LEFT_BITS), "quota"), frame.vectors() as offset:
        _close(frame, looks, offset)
    if frame.code.width == 1:
        return text.any(text.load(frame.own("open", 0)))
    text.store("zeroinitializer", frame.own("any", 0))
    with frame.vectors() as offset:
        open_ = text.both(
            "or", text.load(frame.own("open", offset)), text.load(frame.own("any", 0))
        )
        text.store(open_, frame.own("any", 0))
    return text.any(text.load(frame.own("any", 0)))


def _count_games(frame: PlayoutFrame, ended: str, offset: Offset) -> None:
    """Count the ends by kind and by goal."""
    text, ply = frame.text, frame.ply
    frame.add(Counter.GAMES, ended)
    terminal, stuck = frame.row(ply.terminal, offset), frame.row(ply.stuck, offset)
    if frame.age_bits:
        frame.add(Counter.CUT, text.gate(AND_NOR, ended, terminal, stuck))
    several = frame.row(ply.several, offset)
    # Most games are never stuck and have one goal per role.
    rare = text.gate(AND_OR, ended, stuck, several)
    with text.when(text.any(rare), "rare"):
        frame.add(Counter.STUCK, text.gate(AND_AND_NOT, ended, stuck, terminal))
        frame.add(Counter.SEVERAL, text.gate(AND_AND, ended, several, terminal))
    for index, row in enumerate(frame.goal_rows):
        if row:
            reached = text.both("and", ended, frame.row(row, offset))
            frame.add(Counter.GOALS + index, reached)


def keep_final(frame: PlayoutFrame, lanes: str, offset: Offset, name: str = "final") -> None:
    """Write the states of some lanes, in which games have ended or are left, if they are wanted."""
    text = frame.text
    with text.when(frame.given(Argument.FINAL), name):
        for fluent in frame.each_fluent():
            at = frame.columns(Argument.FINAL, offset, fluent)
            state = frame.fluent(fluent, offset)
            value = text.gate(OR_AND, text.load(at, aligned=False), state, lanes)
            text.store(value, at, aligned=False)


def _keep_goals(frame: PlayoutFrame, ended: str, offset: Offset) -> None:
    """Write down which lanes have reached which goals."""
    text = frame.text
    with text.when(frame.given(Argument.REACHED), "reached"):
        for index, row in enumerate(frame.goal_rows):
            if row:
                at = frame.columns(Argument.REACHED, offset, str(index))
                reached = text.gate(
                    OR_AND, text.load(at, aligned=False), frame.row(row, offset), ended
                )
                text.store(reached, at, aligned=False)


def _count_moves(frame: PlayoutFrame, ended: str, offset: Offset) -> None:
    """Count the moves made in the games that have ended, and forget them."""
    text = frame.text
    size = (1 + len(frame.goal_rows)) * text.bytes
    goals = [text.both("and", ended, frame.row(row, offset)) for row in frame.goal_rows]
    with text.count(0, frame.moves, "move") as move:
        at = frame.own("made", offset, move)
        made = text.load(at)
        counts = text.at(frame.pointer(Argument.MADE), text.integer("mul", move, size))
        frame.add_at(counts, text.both("and", made, ended))
        for index, goal in enumerate(goals, 1):
            frame.add_at(text.at(counts, index * text.bytes), text.both("and", made, goal))
        text.store(text.gate(AND_NOT, made, ended, ""), at)


def _count_lengths(frame: PlayoutFrame, step: str, offset: Offset) -> None:
    """Go through the lanes that have ended one by one and write down how long they played."""
    text = frame.text
    first = text.integer("shl", text.integer("add", frame.column, offset), 3)
    with text.count(0, text.words, "word") as word:
        begin = text.integer("add", text.integer("mul", word, text.bits), first)
        at = text.at(frame.own("ended", offset), text.integer("mul", word, text.bits // 8))
        start = text.word(at)
        head, body, after = map(text.new_label, ("lane", "next", "none"))
        rest, less = text.new(), text.new()
        again = text.loop(head, (rest, "i64", start))
        text.do(f"br i1 {text.let(f'icmp ne i64 {rest}, 0')}, label %{body}, label %{after}")
        text.begin(body)
        lowest = text.let(f"call i64 @llvm.cttz.i64(i64 {rest}, i1 true)")
        place = text.integer("shl", text.integer("add", begin, lowest), 2)
        _write_length(frame, step, place)
        lowered = text.integer("add", rest, -1)
        text.lines.append(f"  {less} = and i64 {rest}, {lowered}")
        again(less)
        text.do(f"br label %{head}")
        text.begin(after)


def _write_length(frame: PlayoutFrame, step: str, place: str) -> None:
    """Write the length of one lane's game, whose numbers lie at ``place`` bytes."""
    text = frame.text
    began_at = text.at(frame.pointer(Argument.START), place)
    narrow = text.let(f"load i32, ptr {began_at}, align 4")
    began = text.let(f"sext i32 {narrow} to i64")
    length = text.integer("sub", step, began)
    plies_at = text.at(frame.pointer(Argument.PLIES), place)
    text.do(f"store i32 {text.let(f'trunc i64 {length} to i32')}, ptr {plies_at}, align 4")
    following = text.let(f"trunc i64 {text.integer('add', step, 1)} to i32")
    text.do(f"store i32 {following}, ptr {began_at}, align 4")
    with text.when(frame.given(Argument.LENGTHS)):
        place = text.integer("shl", length, 3)
        frame.count_length(text.at(frame.pointer(Argument.LENGTHS), place))


def _close(frame: PlayoutFrame, looks: str, offset: Offset) -> None:
    """Take a game off what each ended lane may still begin; a lane that may not is closed.

    Some lane ends at almost every look, and what a lane may begin has many planes. So ends are
    counted in two planes first, which are taken off where a lane has ended three games since, or
    where one has ended that may begin less than four.
    """
    text = frame.text
    ended = frame.get("ended", offset)
    places = [frame.own_number("recent", plane, offset) for plane in range(2)]
    low, high = (text.load(place) for place in places)
    recent = text.both("xor", low, ended), text.gate(XOR_AND, high, low, ended)
    for place, plane in zip(places, recent, strict=True):
        text.store(plane, place)
    full = text.both("and", *recent)
    due = text.gate(OR_AND_NOT, full, ended, text.load(frame.own("far", offset)))
    with text.when(text.any(due), "due"):
        none = _take_off(frame, recent, offset)
        for place in places:
            text.store("zeroinitializer", place)
        with text.when(text.any(none), "close"):
            open_at = frame.own("open", offset)
            text.store(text.gate(AND_NOT, text.load(open_at), none, ""), open_at)
            frame.add(Counter.LOOKS, none, looks)


def _take_off(frame: PlayoutFrame, recent: tuple[str, str], offset: Offset) -> str:
    """Take ended games off what lanes may begin, and note the lanes that may begin four or more.

    Args:
        frame: the memory.
        recent: games that each lane has ended, as two planes.
        offset: of the vector.

    Returns:
        The lanes that have ended more than they might begin.
    """
    text = frame.text
    borrow = "zeroinitializer"
    for plane, less in enumerate(recent):
        at = frame.own_number("left", plane, offset)
        left = text.load(at)
        text.store(text.gate(XOR, left, less, borrow), at)
        borrow = text.gate(BORROW, left, less, borrow)
    head, body, after = map(text.new_label, ("bit", "take", "taken"))
    bit, more, far = text.new(), text.new(), text.new()
    again = text.loop(
        head,
        (bit, "i64", len(recent)),
        (more, text.vector, borrow),
        (far, text.vector, "zeroinitializer"),
    )
    going = text.let(f"icmp slt i64 {bit}, {frame.argument[Argument.LEFT_BITS]}")
    text.do(f"br i1 {going}, label %{body}, label %{after}")
    text.begin(body)
    at = frame.own("left", offset, bit)
    left = text.load(at)
    rest = text.both("xor", left, more)
    text.store(rest, at)
    far_lanes = text.both("or", far, rest)
    following = text.integer("add", bit, 1)
    further = text.gate(AND_NOT, more, left, "")
    again(following, further, far_lanes)
    text.do(f"br label %{head}")
    text.begin(after)
    text.store(far, frame.own("far", offset))
    return more
