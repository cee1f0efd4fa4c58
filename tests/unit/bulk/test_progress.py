from itertools import repeat

from saccade.bulk.folder import BulkFolder, Written
from saccade.bulk.progress import Progress


def test_one_line_tells_what_is_done_here_and_by_others_how_fast_and_how_long(tmp_path):
    source, shown, now = tmp_path / "in.txt", [], [100.0]
    source.write_text("line\n" * 100)
    folder = BulkFolder([tmp_path / "out.txt"])
    manifest = folder.begin({}, [source], repeat(10), 10, shown.append)
    folder.keep(manifest.shards[0], 10, [Written(0, "")], {})
    progress = Progress(folder, shown.append, 5.0, lambda: now[0])
    progress.ready()
    now[0] += 4
    progress.watch(20)
    assert shown == []
    now[0] += 4
    progress.watch(10)
    assert shown.pop() == "40 of 100 lines, 4 lines/s, about 16 s left"
    for shard in manifest.shards[:7]:  # somebody else is faster
        folder.keep(shard, 10, [Written(0, "")], {})
    now[0] += 12
    progress.watch(0)
    assert shown.pop() == "70 of 100 lines, 3 lines/s, about 10 s left"
