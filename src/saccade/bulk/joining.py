"""The outputs of all shards as one file, byte for byte what one process over the whole input writes.

Every shard is compared with its digest on the way. One that is damaged is forgotten, so that the same command does it
again; the output gets its name only when all of it is right.
"""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from typing import BinaryIO

from saccade.bulk.folder import BulkFolder, Manifest, Record, Written
from saccade.bulk.shards import BLOCK, Shard
from saccade.errors import FormatError
from saccade.output_files import OutputFile
from saccade.serving.problems import Problems


def join(folder: BulkFolder, places: Sequence[OutputFile]) -> Record:
    """Puts the outputs of all shards, which must be finished, in their places; what the whole comes to."""
    with folder.locked():
        if not folder.is_complete():
            _join(folder, folder.manifest(), places)
        folder.remove_shards()
        finished = folder.finished
        assert finished is not None, "it has just been written"
        return finished


def _join(folder: BulkFolder, manifest: Manifest, places: Sequence[OutputFile]) -> None:
    problems, lines = Problems(), 0
    digests = [hashlib.sha256() for _ in places]
    sizes = [0 for _ in places]
    with ExitStack() as stack:
        files = [stack.enter_context(place.writing()) for place in places]
        for shard in manifest.shards:
            record = folder.record(shard)
            for index, file in enumerate(files):
                _append(folder, shard, index, record.outputs[index], file, digests[index])
                sizes[index] += record.outputs[index].bytes
            problems.extend(Problems(**record.problems))
            lines += record.lines
        written = [Written(size, digest.hexdigest()) for size, digest in zip(sizes, digests, strict=True)]
        # Before the outputs get their names: a kill between the two must not make them look like somebody else's.
        folder.finish(lines, written, problems.to_json())


def _append(
    folder: BulkFolder, shard: Shard, index: int, expected: Written, file: BinaryIO, whole: "hashlib._Hash"
) -> None:
    path, digest, size = folder.output(shard, index), hashlib.sha256(), 0
    if path.is_file():
        with path.open("rb") as source:
            while block := source.read(BLOCK):
                file.write(block)
                digest.update(block)
                whole.update(block)
                size += len(block)
    if Written(size, digest.hexdigest()) != expected:
        folder.forget(shard)
        raise FormatError(
            f"`{path}` must be as it was written, but is missing or damaged. The same command does its lines again."
        )
