"""The progress bar of a training run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, final

from neurogame.bars import bar_stream

if TYPE_CHECKING:
    from tqdm import tqdm

    from neurogame.learn.training_run import TrainingRun

_LAYOUT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"


@final
class TrainingBar:
    """Shows how far a run is."""

    def __init__(self, run: TrainingRun, bar: tqdm[None]) -> None:
        self._run, self._bar = run, bar

    def show(self, shown: Mapping[str, str]) -> None:
        """Move on to where the run is.

        Args:
            shown: short texts behind the bar, by name.
        """
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update(self._run.done - self._bar.n)


@contextmanager
def training_bar(
    run: TrainingRun, *, hidden: bool, shown: Mapping[str, str] | None = None
) -> Iterator[TrainingBar]:
    """Show a progress bar on standard error, over games or seconds.

    Args:
        run: that is begun or goes on.
        hidden: whether nothing is to be seen.
        shown: what stands behind the bar until the first round is over; None: nothing.
    """
    from tqdm import tqdm

    with tqdm(
        total=run.total,
        initial=run.done,
        desc=f"train {run.game.name}",
        disable=hidden,
        bar_format=_LAYOUT,
        file=bar_stream(),
    ) as bar:
        if shown:
            bar.set_postfix(shown)
        yield TrainingBar(run, bar)
