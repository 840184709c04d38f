"""How fast the page in the browser opens and steps: one row per game.

python -m benchmarks.view                        # connectfour, qubic
python -m benchmarks.view GAME [GAME ...]        # library games or rulesheets

Each game's random match is served by ``neurogame view`` in a process of its own and opened in a
headless Chromium. Wall-clock seconds: until the server listens; from there, until the board is on
the page, and until the values of its moves are; milliseconds: the middle and the longest step
forward, from the key to the picture, each right after the one before. ``--cold`` begins with an
empty cache of compiled rules.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from neurogame.errors import ConfigurationError
from neurogame.files import CACHE_VARIABLE
from neurogame.players.match import play_match
from neurogame.players.match_settings import MatchSettings
from neurogame.players.players import make_player
from neurogame.simulate.game import Game

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
PLIES = 40

_STEP = """async () => {
  const count = document.getElementById('count');
  const began = performance.now();
  const shown = new Promise((done) => {
    const watch = new MutationObserver(() => { watch.disconnect(); done(); });
    watch.observe(count, { childList: true });
  });
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  await shown;
  return performance.now() - began;
}"""


def main() -> int:
    """Print one row per game."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("games", nargs="*", default=["connectfour", "qubic"])
    parser.add_argument("--evaluator", default="cilp", help="what values states (default cilp)")
    parser.add_argument("--cold", action="store_true", help="with nothing in the cache")
    parser.add_argument("--seed", type=int, default=1, help="of the random match (default 1)")
    options = parser.parse_args()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise ConfigurationError(f"no browser: install one of {', '.join(BROWSERS)}")
    print(f"{'game':16s} {'listens':>8s} {'board':>8s} {'values':>8s} {'step':>8s} {'longest':>8s}")
    for name in options.games:
        with tempfile.TemporaryDirectory() as folder:
            match = _write_match(name, Path(folder) / "match.json", options.seed)
            cache = {CACHE_VARIABLE: folder} if options.cold else {}
            row = _measure(browser, name, match, options.evaluator, cache)
        print(
            f"{Path(name).stem:16s} {row[0]:6.2f} s {row[1]:6.2f} s {row[2]:6.2f} s "
            f"{statistics.median(row[3]):5.0f} ms {max(row[3]):5.0f} ms"
        )
    return 0


def _write_match(name: str, path: Path, seed: int) -> Path:
    """Play a random match and write its record."""
    game = Game.load(name)
    players = [make_player("random") for _ in game.roles]
    record = play_match(game, players, seed=seed, settings=MatchSettings(max_plies=PLIES))
    path.write_text(record.to_json(), encoding="utf-8")
    return path


def _measure(
    browser: str, name: str, match: Path, evaluator: str, cache: dict[str, str]
) -> tuple[float, float, float, list[float]]:
    """Return seconds until the server listens, the board and the values; and of the steps."""
    line = [sys.executable, "-m", "neurogame", "view", str(match), "--rules", name, "--port", "0"]
    began = time.perf_counter()
    with subprocess.Popen(
        [*line, "--evaluator", evaluator],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **cache},
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+/", server.stdout.readline())
            assert found is not None, "the server did not start"
            listens = time.perf_counter() - began
            return (listens, *_in_browser(browser, found[0]))
        finally:
            server.terminate()


def _in_browser(browser: str, url: str) -> tuple[float, float, list[float]]:
    """Return seconds until the board and until the values, and milliseconds of each step."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        own = driver.chromium.launch(executable_path=browser, args=list(OPTIONS))
        page: Any = own.new_page()
        began = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("#board svg")
        board = time.perf_counter() - began
        page.wait_for_selector("#moves b:not(:empty)", timeout=600_000)
        values = time.perf_counter() - began
        plies = int(page.inner_text("#count").split("/")[1])
        steps = [float(page.evaluate(_STEP)) for _ in range(plies)]
        own.close()
    return board, values, steps


if __name__ == "__main__":
    sys.exit(main())
