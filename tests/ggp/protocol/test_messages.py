"""Messages of the protocol: what GGP-Base was recorded to send, and what nobody should."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurogame.errors import ProtocolError
from neurogame.ggp.protocol.messages import (
    LONGEST_CLOCK,
    MAXIMUM_DEPTH,
    MAXIMUM_MOVES,
    Abort,
    Info,
    Message,
    Play,
    Preview,
    Sight,
    Start,
    Stop,
    compact,
    message_text,
    parse_message,
    spaced,
    split_terms,
)

RECORDED: dict[str, Message] = {
    "( INFO )": Info(),
    "( START demo.1 xplayer (( role xplayer ) ( role oplayer ) ) 10 5)": Start(
        "demo.1", "xplayer", "( role xplayer ) ( role oplayer ) ", 10, 5
    ),
    "( PLAY demo.ticTacToe.1 NIL )": Play("demo.ticTacToe.1", None),
    "( PLAY demo.ticTacToe.1 (( mark 2 1 ) noop ) )": Play(
        "demo.ticTacToe.1", ("(mark 2 1)", "noop")
    ),
    "( STOP demo.ticTacToe.1 (( mark 3 2 ) noop ) )": Stop(
        "demo.ticTacToe.1", ("(mark 3 2)", "noop")
    ),
    "( ABORT demo.1 )": Abort("demo.1"),
    "( PREVIEW (( role xplayer ) ) 30 )": Preview("( role xplayer ) ", 30),
}


@pytest.mark.parametrize("text", RECORDED)
def test_recorded_messages_are_read_and_written_to_the_letter(text: str) -> None:
    assert parse_message(text) == RECORDED[text]
    assert message_text(RECORDED[text]) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", Info()),
        (" \r\n", Info()),
        ("; a remark", Info()),
        ("(ping)", Info()),
        ("PING", Info()),
        ("(Info)", Info()),
        ("(start m x () 1 2)", Start("m", "x", "", 1, 2)),
        ("(START m x ((role x)) 0 .5 extra (more) 7)", Start("m", "x", "(role x)", 0, 0.5)),
        ("(sTaRt m x () 1e300 2)", Start("m", "x", "", LONGEST_CLOCK, 2)),
        (f"(start m x () {'9' * 5000} 2)", Start("m", "x", "", LONGEST_CLOCK, 2)),
        ("(play |a| none)", Play("|a|", None)),
        ("(play a ())", Play("a", ())),
        ("(play a 0 nil nil)", Play("a", None, Sight(0, None, ()))),
        (
            "(PLAY a 3 (mark 1 1) ((sees  x) y))",
            Play("a", None, Sight(3, "(mark 1 1)", ("(sees x)", "y"))),
        ),
        ("(STOP a 4 noop ())", Stop("a", None, Sight(4, "noop", ()))),
        ("(play a ((f 1) g) 2 (h))", Play("a", ("(f 1)", "g"))),
        ("(play a 3 x)", Play("a", None)),
        ('(play "q ((f (g  A)b)))', Play('"q', ("(f (g A) b)",))),
        ("(stop a nil) (explanation of (something))", Stop("a", None)),
        ("(abort ../../etc/passwd)", Abort("../../etc/passwd")),
        ("(play a ; not ) a bracket\n ((x) y))", Play("a", ("(x)", "y"))),
    ],
)
def test_other_spellings(text: str, message: Message) -> None:
    assert parse_message(text) == message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(", "missing for the '(' at character 1"),
        ("(play a ((b) c)", "one ')' is missing for the '(' at character 1"),
        (" )", "')' without its '(' at character 2"),
        ("()", "empty parentheses"),
        ("hello", "found 'hello'"),
        ("(hello)", "unknown command 'hello'"),
        ("((info))", "unknown command '(info)'"),
        ("(play a)", "PLAY has 1 arguments, at least 2"),
        ("(start a b c d)", "START has 4 arguments, at least 5"),
        ("(start a b c 1 2)", "found 'c', the rules in parentheses"),
        ("(start (a) b () 1 2)", "found '(a)', a name is needed"),
        ("(start a b () -1 2)", "found '-1', a clock in seconds"),
        ("(start a b () 1 nan)", "found 'nan', a clock"),
        ("(start a b () 1_0 2)", "found '1_0', a clock"),
        ("(preview () soon)", "found 'soon', a clock"),
        ("(abort (a))", "found '(a)', a name"),
        (f"(play a {'(' * MAXIMUM_DEPTH}", f"nested more than {MAXIMUM_DEPTH} deep"),
        (f"(play a ({'()' * (MAXIMUM_MOVES + 1)}))", f"more than {MAXIMUM_MOVES} moves"),
    ],
)
def test_what_is_no_message_is_refused_with_its_reason(text: str, says: str) -> None:
    with pytest.raises(ProtocolError, match="not a message of the protocol: ") as caught:
        parse_message(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_reasons_stay_short_for_long_texts() -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_message("x" * 1_000_000)
    assert len(str(caught.value)) < 400


def test_terms_keep_their_spelling_and_lose_their_blanks() -> None:
    text = " ( Mark  2\t1 )noop ((a)b); c (\n d "
    assert split_terms(text) == ["( Mark  2\t1 )", "noop", "((a)b)", "d"]
    assert compact(text) == "(Mark 2 1) noop ((a) b) d"
    assert spaced(text) == "( Mark 2 1 ) noop ( ( a ) b ) d"


NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Z"], exclude_characters="();").filter(
        lambda character: not character.isspace()
    ),
    min_size=1,
    max_size=8,
)
TERMS = st.recursive(
    NAMES, lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"({' '.join(parts)})")
)
MOVES = st.none() | st.lists(TERMS.map(compact), max_size=4).map(tuple)
CLOCKS = st.integers(0, LONGEST_CLOCK) | st.floats(0, LONGEST_CLOCK).map(
    lambda seconds: int(seconds) if seconds == int(seconds) else seconds
)
RULES = st.lists(TERMS, max_size=5).map("\n ".join)
SIGHTS = st.builds(
    Sight,
    st.integers(1, 10**9 - 1),
    st.none() | TERMS.map(compact).filter(lambda move: move.lower() != "nil"),
    st.lists(TERMS.map(compact), max_size=4).map(tuple),
)
MESSAGES = st.one_of(
    st.just(Info()),
    st.builds(Start, NAMES, NAMES, RULES, CLOCKS, CLOCKS),
    st.builds(Play, NAMES, MOVES),
    st.builds(Play, NAMES, st.none(), SIGHTS),
    st.builds(Stop, NAMES, st.none(), SIGHTS),
    st.builds(Stop, NAMES, MOVES),
    st.builds(Abort, NAMES),
    st.builds(Preview, RULES, CLOCKS),
)


@given(MESSAGES)
def test_every_message_comes_back_as_it_was_sent(message: Message) -> None:
    assert parse_message(message_text(message)) == message


def test_rules_that_end_in_a_comment_are_sent_whole() -> None:
    message = Start("m", "x", "(role x) ; the end", 1, 1)
    read = parse_message(message_text(message))
    assert read == Start("m", "x", "(role x) ; the end\n", 1, 1)


@given(st.text(st.sampled_from('()() ;\nABCplaystopinfo1.5|"é'), max_size=60))
def test_any_text_is_a_message_or_refused(text: str) -> None:
    try:
        message = parse_message(text)
    except ProtocolError:
        return
    assert parse_message(message_text(message)) == message


@pytest.mark.parametrize(
    "rules",
    [
        "(role a) (init (at 1)",
        "(role a) init (at 1))",
        "((role a)",
        ")",
        "(",
        "(role a) (init (at 1) 10 5)",
        "(" * (MAXIMUM_DEPTH + 5),
    ],
)
def test_rules_that_are_out_of_balance_come_as_they_are(rules: str) -> None:
    """What can be made of them is for who plays them to find out."""
    start = Start("m.1", "a", rules, 10, 2.5)
    assert parse_message(message_text(start)) == start
    assert parse_message(f"(start m.1 a ({rules})10 2.5)\n") == start


@pytest.mark.parametrize("text", ["(START m.1 a ((role a) 10)", "(START m.1 ((role a) 10 5)"])
def test_a_start_that_lacks_more_than_balance_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        parse_message(text)
