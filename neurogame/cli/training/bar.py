"""The progress bar of a training run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from neurogame.bars import bar_stream
from neurogame.first_use import working_time

if TYPE_CHECKING:
    from neurogame.learn.training_run import TrainingRun

_LAYOUT = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"


@contextmanager
def training_bar(
    run: TrainingRun, *, hidden: bool, shown: Mapping[str, str] | None = None
) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """Show a progress bar on standard error, over games or seconds.

    What is given moves it on to where the run is, with short texts behind it, by name. Where other
    programs leave a run little of the processor, it is over when the time is: so is the bar.

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

        def show(texts: Mapping[str, str]) -> None:
            bar.set_postfix(texts, refresh=False)
            past = run.total - max(0.0, run.learn_until - working_time())
            bar.update(max(run.done, past, bar.n) - bar.n)

        yield show
