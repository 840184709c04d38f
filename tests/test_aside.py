"""Work that nobody has to wait for."""

from __future__ import annotations

import sys
import threading
from functools import partial

import pytest

from neurogame.aside import Aside, LeftBehindError, are_busy
from tests.processes import run


def test_pieces_are_done_one_after_the_other_and_errors_come_back() -> None:
    aside, order = Aside(), list[int]()
    pieces = [aside.submit(partial(order.append, number)) for number in range(5)]
    assert aside.do(lambda: len(order), lambda: False) == 5
    assert all(piece.done() for piece in pieces)
    assert order == [0, 1, 2, 3, 4]
    with pytest.raises(ZeroDivisionError):
        aside.do(lambda: 1 / 0, lambda: False)
    assert not are_busy()
    aside.close(60.0)


def test_what_takes_too_long_is_left_behind() -> None:
    aside, free, begun = Aside(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        free.wait()

    with pytest.raises(LeftBehindError):
        aside.do(work, begun.is_set)
    assert are_busy()
    free.set()
    assert aside.close(60.0)
    assert not are_busy()


@pytest.mark.parametrize(("busy", "code"), [(True, 7), (False, 0)])
def test_a_process_ends_though_work_goes_on(busy: bool, code: int) -> None:
    """Its output is written; and where nothing goes on, the process ends as any other."""
    text = (
        "import threading; from neurogame.aside import Aside, end_process\n"
        f"Aside().submit(threading.Event().wait if {busy} else int)\n"
        f"aside = Aside(); aside.do(int, lambda: False)\n"
        "print('said'); end_process(7)\n"
    )
    ended = run([sys.executable, "-c", text], check=False)
    assert (ended.returncode, ended.stdout) == (code, "said\n")
