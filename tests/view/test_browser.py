"""The page in a real browser: what people see, press and type. Skips where there is no browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from neurogame.gdl.library import rules_path
from neurogame.simulate.game import Game
from neurogame.view.export import export, with_match
from neurogame.view.recorded import RecordedMatch
from neurogame.view.server import PageServer
from neurogame.view.subject import open_subject
from tests.conftest import REPOSITORY
from tests.view.serving import EVIL, evil_rules, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)
CHECKPOINT = str(REPOSITORY / "checkpoints" / "tictactoe.pt")
MOVES = ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)")
LINE = tuple((m, "noop") if ply % 2 == 0 else ("noop", m) for ply, m in enumerate(MOVES))
PATIENCE = 60_000
"""Milliseconds: many times what an event takes on a busy machine."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the page is tested with playwright, which is not installed"
    )
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"the page is tested in a browser; there is none of {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as driver:
        own = driver.chromium.launch(executable_path=path, args=list(OPTIONS))
        yield own
        own.close()


@contextmanager
def opened(
    browser: Browser,
    url: str,
    *,
    width: int = 1280,
    scheme: str = "light",
    offline: bool = False,
    complaint: str | None = None,
) -> Iterator[tuple[Page, list[str]]]:
    """Open an address; in the end nothing may have been complained of but what is expected.

    Browsers complain of every reply that is a refusal, whatever the page does about it.

    Yields:
        The page, and the addresses that it has asked for.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=offline,
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda said: complaints.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    page.wait_for_selector("#board svg")
    try:
        yield page, asked
    finally:
        context.close()
    assert [one for one in complaints if complaint is None or complaint not in one] == []
    assert complaint is None or complaints


def shows(page: Page, selector: str, text: str) -> None:
    """Wait until an element holds a text."""
    page.locator(selector, has_text=text).wait_for()


def at(page: Page, text: str) -> None:
    """Wait until the page shows a position."""
    shows(page, "#count", text)


def squares(page: Page) -> int:
    return page.locator("#board rect[data-square]").count()


def discs(page: Page) -> int:
    """Count the letters on the squares, one for each piece of tic-tac-toe."""
    return page.locator("#board g[data-board] text[font-weight='600']").count()


@pytest.fixture(scope="module")
def match() -> Iterator[PageServer]:
    subject = open_subject(CHECKPOINT)
    recorded = RecordedMatch(
        moves=LINE, players=("one", "other"), remarks={1: ["a remark"]}, ending="terminal"
    )
    own = replace(subject, kind="match", match=recorded)
    with served(own) as server:
        yield server


def test_a_match_is_stepped_through(browser: Browser, match: PageServer) -> None:
    with opened(browser, match.url) as (page, asked):
        at(page, "0 / 5")
        assert squares(page) == 9
        assert discs(page) == 0
        page.click("#next")
        at(page, "1 / 5")
        assert discs(page) == 1
        assert page.locator("#remarks li").all_inner_texts() == ["a remark"]
        page.keyboard.press("ArrowRight")
        at(page, "2 / 5")
        page.keyboard.press("End")
        at(page, "5 / 5")
        assert discs(page) == 5
        assert "xplayer 100, oplayer 0" in page.inner_text("#status")
        assert page.is_disabled("#next")
        page.keyboard.press("ArrowLeft")
        at(page, "4 / 5")
        page.keyboard.press("Home")
        at(page, "0 / 5")
        page.locator("#line button").nth(3).click()
        at(page, "3 / 5")
        page.wait_for_selector("#curve polyline")
        assert page.locator("#curve polyline").count() == 2
        assert page.locator("#line [aria-current]").inner_text() == "3 (mark 1 2)"
        assert {url.startswith(match.url) or url == "data:," for url in asked} == {True}


def test_values_and_contributions_are_seen(browser: Browser, match: PageServer) -> None:
    with opened(browser, match.url) as (page, _):
        page.keyboard.press("ArrowRight")
        at(page, "1 / 5")
        page.wait_for_selector("#moves b:not(:empty)")
        numbers = [float(text) for text in page.locator("#moves b").all_inner_texts()]
        assert len(numbers) == 8
        assert numbers == sorted(numbers, reverse=True)
        page.wait_for_selector("#why td")
        page.locator("#why tr[tabindex]").first.hover()
        page.wait_for_selector("#board .hint")
        page.check("#paint")
        page.wait_for_selector("#board g[data-board] rect[fill-opacity]")
        assert "Painted" in page.inner_text("#caption")
        page.select_option("#why-listing", "fluents")
        page.locator("#why td", has_text="(not ").first.wait_for()
        page.select_option("#why-move", "(mark 2 2)")
        page.select_option("#why-rather", "(mark 2 1)")
        shows(page, "#caption", "rather than (mark 2 1)")


def test_moves_are_played_by_mouse_and_keyboard(browser: Browser) -> None:
    with (
        served(open_subject("breakthrough6", evaluator="fuzzy")) as server,
        opened(browser, server.url) as (page, _),
    ):
        at(page, "0 / 0")
        # Of two squares the first says which piece, the second where it goes.
        page.click("#board [data-hit='0/0.0.1']")
        assert "2 moves there" in page.inner_text("#status")
        assert page.locator("#board .candidate").count() == 3
        page.click("#board [data-hit='0/0.1.2']")
        at(page, "1 / 1")
        page.locator("#moves button").first.focus()
        page.keyboard.press("Enter")
        at(page, "2 / 2")
        page.focus("#board [data-hit='0/0.5.1']")
        page.keyboard.press("Enter")
        page.focus("#board [data-hit='0/0.5.2']")
        page.keyboard.press(" ")
        at(page, "3 / 3")
        outline = page.evaluate(
            "(document.getElementById('first').focus(),"
            "getComputedStyle(document.getElementById('previous')).outlineStyle)"
        )
        assert outline == "none"
        page.click("#undo")
        at(page, "2 / 2")
        page.click("#restart")
        at(page, "0 / 0")


def test_all_roles_move_at_once(browser: Browser) -> None:
    with (
        served(open_subject("prisoners", evaluator="fuzzy")) as server,
        opened(browser, server.url) as (page, _),
    ):
        assert page.locator("#roles button").count() == 2
        page.locator("#moves button").first.click()
        shows(page, "#moves-note", "to choose: column")
        page.locator("#moves button").first.click()
        at(page, "1 / 1")


def test_players_play_and_search(browser: Browser) -> None:
    with served(open_subject(CHECKPOINT)) as server, opened(browser, server.url) as (page, _):
        page.fill("#seat-1", "random")
        page.press("#seat-1", "Tab")
        page.click("#playing")
        page.locator("#moves button").first.click()
        at(page, "2 / 2")
        page.fill("#searcher", "mcts:sims=40")
        page.click("#search")
        page.locator("#found tr", has_text="simulations").wait_for()
        assert "40, " in page.locator("#found tr", has_text="simulations").inner_text()
        assert "(mark" in page.locator("#found tr", has_text="expected").inner_text()


def test_a_search_can_be_cancelled(browser: Browser) -> None:
    with (
        served(open_subject("breakthrough6", evaluator="fuzzy")) as server,
        opened(browser, server.url) as (page, _),
    ):
        page.fill("#searcher", "mcts:seconds=500")
        page.click("#search")
        shows(page, "#thinking", "thinks")
        page.click("#cancel")
        shows(page, "#thinking", "Cancelled.")
        assert page.is_enabled("#search")


def test_what_the_server_refuses_is_said(browser: Browser) -> None:
    with (
        served(open_subject(CHECKPOINT)) as server,
        opened(browser, server.url, complaint="400") as (page, _),
    ):
        page.fill("#searcher", "human")
        page.click("#search")
        shows(page, "#thinking", "terminal")


@pytest.mark.filterwarnings("ignore::neurogame.errors.NeurogameWarning")
def test_names_are_texts(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "evil.kif"
    path.write_text(evil_rules(rules_path("tictactoe").read_text(encoding="utf-8")))
    assert EVIL["xplayer"] in Game.load(path).roles
    with (
        served(open_subject(str(path), evaluator="fuzzy")) as server,
        opened(browser, server.url) as (page, asked),
    ):
        for ply in (1, 2):
            page.locator("#moves button").first.click()
            at(page, f"{ply} / {ply}")
            page.wait_for_selector("#moves b:not(:empty)")
        page.wait_for_selector("#why td")
        assert page.locator("#outlook .role").all_inner_texts() == [
            EVIL["xplayer"],
            EVIL["oplayer"],
        ]
        assert EVIL["mark"] in page.locator("#moves .text").first.inner_text()
        assert page.locator("img, b b, main script").count() == 0
        assert page.evaluate("document.scripts.length") == 2
        assert squares(page) == 9
        assert {url.startswith(server.url) or url == "data:," for url in asked} == {True}


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1600, "light")])
def test_it_fits_narrow_and_wide(
    browser: Browser, match: PageServer, width: int, scheme: str
) -> None:
    with opened(browser, match.url, width=width, scheme=scheme) as (page, _):
        page.keyboard.press("End")
        at(page, "5 / 5")
        page.wait_for_selector("#why td")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, ground[4:-1].split(","))) / 3
        assert (light < 60) if scheme == "dark" else (light > 200)


def test_a_file_needs_no_server(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    export(with_match(open_subject(CHECKPOINT), "random", 200, 3), path, quiet=True)
    with opened(browser, path.as_uri(), offline=True) as (page, asked):
        plies = int(page.inner_text("#count").split("/")[1])
        page.keyboard.press("End")
        at(page, f"{plies} / {plies}")
        assert discs(page) == plies
        page.keyboard.press("ArrowLeft")
        at(page, f"{plies - 1} / {plies}")
        page.check("#paint")
        page.wait_for_selector("#board g[data-board] rect[fill-opacity]")
        assert page.locator("#curve polyline").count() == 2
        assert page.locator("#moves .played").count() == 1
        assert not page.is_visible("#play-card")
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]


def test_a_file_of_a_judge_of_moves_has_no_values_of_positions(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "match.html"
    subject = open_subject("tictactoe", evaluator="action")
    export(with_match(subject, "random", 3, 3), path, quiet=True)
    with opened(browser, path.as_uri(), offline=True) as (page, _):
        page.keyboard.press("ArrowRight")
        at(page, "1 / 3")
        page.wait_for_selector("#moves b:not(:empty)")
        assert not page.is_visible("#curve-card")
        assert not page.is_visible("#why-card")
        assert page.locator("#outlook *").count() == 0


def test_a_server_that_has_gone_is_said(browser: Browser) -> None:
    with (
        served(open_subject("tictactoe", evaluator="fuzzy")) as server,
        opened(browser, server.url, complaint="Failed to load") as (page, _),
    ):
        page.wait_for_selector("#why td")
        page.context.set_offline(True)
        page.locator("#moves button").first.click()
        page.wait_for_selector("#status.error")
