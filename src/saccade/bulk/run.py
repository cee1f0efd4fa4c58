"""A job from start to end: planned, done by workers wherever they are, and joined."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from saccade.bulk.folder import BulkFolder, Record
from saccade.bulk.joining import join
from saccade.bulk.progress import Progress, shown_progress
from saccade.bulk.shards import check_inputs
from saccade.bulk.work import Say, Work


@runtime_checkable
class Launcher(Protocol):
    """What has workers."""

    def run(self, work: Work, folder: BulkFolder, progress: Progress, say: Say) -> None:
        """Until every shard is finished."""
        ...


def run_bulk(work: Work, outputs: Sequence[Path], launcher: Launcher, *, overwrite: bool) -> Record:
    """Does all of the work that is not done yet; the first output, and a report if there is one, are then whole."""
    check_inputs(work.inputs)
    folder = BulkFolder(outputs)
    places = folder.places(overwrite=overwrite)
    with shown_progress(folder) as (progress, say):
        launcher.run(work, folder, progress, say)
        return join(folder, places)
