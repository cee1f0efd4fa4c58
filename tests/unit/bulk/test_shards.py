import os
from itertools import chain, repeat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.bulk import shards
from saccade.bulk.shards import check_inputs, check_unchanged, cut
from saccade.data.parallel_text import PairFiles, every_pair
from saccade.data.text_lines import lines_or_errors
from saccade.errors import InputError

LINES = st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")), max_size=40)


def plan(*paths: Path, windows=(1, 2), lines=3):
    return list(cut(paths, chain(windows, repeat(windows[-1])), lines))


@settings(max_examples=100, deadline=None)
@given(
    lines=LINES,
    ended=st.booleans(),
    block=st.integers(1, 30),
    shard_lines=st.integers(1, 15),
    windows=st.lists(st.integers(1, 5), min_size=1, max_size=4),
)
def test_the_lines_of_all_shards_are_those_of_the_file_in_whole_windows(
    lines, ended, block, shard_lines, windows, tmp_path_factory
):
    path = tmp_path_factory.mktemp("shards") / "file"
    path.write_bytes(b"\n".join(lines) + (b"\n" if ended and lines else b""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "BLOCK", block)
        found = plan(path, windows=windows, lines=shard_lines)
    content = path.read_bytes()
    assert b"".join(content[part.begin : part.end] for shard in found for part in shard.parts) == content
    read = [list(lines_or_errors(path, shard.ranges[0])) for shard in found]
    assert list(map(str, chain(*read))) == list(map(str, lines_or_errors(path)))
    assert [len(one) for one in read] == [shard.lines for shard in found]
    assert [shard.first for shard in found] == [1 + sum(map(len, read[:place])) for place in range(len(read))]
    begins = [0]  # of windows, as one process reads them
    sizes = chain(windows, repeat(windows[-1]))
    for size in sizes:
        if begins[-1] > len(lines):
            break
        begins.append(begins[-1] + size)
    assert {shard.first - 1 for shard in found} <= set(begins)
    for shard in found:
        place = begins.index(shard.first - 1)
        assert shard.window == begins[place + 1] - begins[place]
        assert shard.lines >= shard_lines or shard is found[-1]


def test_two_files_are_cut_at_the_same_lines_and_errors_name_the_line_of_the_whole(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("".join(f"{'x' * number}\n" for number in range(11)))
    target.write_text("".join(f"{number}\n" for number in range(11)))
    found = plan(source, target)
    ranged = [PairFiles(source, target, ranges=shard.ranges) for shard in found]
    assert len(ranged) > 2
    assert list(chain(*map(every_pair, ranged))) == list(every_pair(PairFiles(source, target)))
    tabbed = tmp_path / "c.tsv"
    tabbed.write_text("a\tb\n" * 8 + "no tab\n")
    with pytest.raises(InputError, match=r"c\.tsv:9"):
        list(every_pair(PairFiles(tabbed, ranges=plan(tabbed)[-1].ranges)))


def test_files_with_other_numbers_of_lines_are_refused_with_both(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("x\n" * 23)
    target.write_text("y\n" * 17)
    with pytest.raises(InputError, match="23 and 17"):
        plan(source, target)


def test_a_line_that_has_changed_is_refused_wherever_it_is(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\nthree\nfour\nfive\n")
    first, second = plan(path)
    path.write_bytes(b"one\ntwo\nthree\nfour\nFive\n")
    check_unchanged(first, [path])
    with pytest.raises(InputError, match="lines 4 to 5 have changed"):
        check_unchanged(second, [path])


@pytest.mark.parametrize("name", ["missing", "folder", "packed.gz", "pipe"])
def test_what_cannot_be_read_in_parts_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "packed.gz").touch()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError):
        check_inputs([tmp_path / name])
