import json
import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data import store_checksums
from saccade.data.batches import Batches, Position
from saccade.data.token_store import TokenStore
from saccade.errors import FormatError

PAIRS = [([5, 7, 11], [13]), ([], [17, 19]), ([23], []), ([29, 31], [37, 41, 43, 47])]


def lists(store: TokenStore):
    return [(source.tolist(), target.tolist()) for source, target in (store[index] for index in range(len(store)))]


@given(
    pairs=st.lists(st.tuples(st.lists(st.integers(0, 65535)), st.lists(st.integers(0, 65535)))),
    vocabulary=st.sampled_from([65536, 65537]),
)
@settings(max_examples=30, deadline=None)
def test_pairs_come_back_as_written(pairs, vocabulary):
    with tempfile.TemporaryDirectory() as folder:
        store = TokenStore.build(Path(folder) / "store", iter(pairs), vocabulary=vocabulary)
        assert lists(store) == pairs
        assert store.source_lengths.tolist() == [len(source) for source, _ in pairs]
        assert store.target_lengths.tolist() == [len(target) for _, target in pairs]


def test_ids_take_two_bytes_where_they_fit(tmp_path):
    assert TokenStore.build(tmp_path / "a", PAIRS, vocabulary=65536).source_ids.itemsize == 2
    large = TokenStore.build(tmp_path / "b", [([65536], [99999])], vocabulary=100_000)
    assert lists(large) == [([65536], [99999])]


def test_more_pairs_than_a_chunk_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr("saccade.data.token_store.CHUNK", 3)
    assert lists(TokenStore.build(tmp_path / "a", PAIRS)) == PAIRS


def test_building_again_replaces_and_a_failure_leaves_the_old(tmp_path):
    TokenStore.build(tmp_path / "a", PAIRS)

    def failing():
        yield PAIRS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TokenStore.build(tmp_path / "a", failing())
    assert lists(TokenStore.open(tmp_path / "a")) == PAIRS
    assert lists(TokenStore.build(tmp_path / "a", PAIRS[:1])) == PAIRS[:1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


@pytest.mark.parametrize("name", ["source.ids", "source.offsets", "target.ids", "target.offsets", "header.json"])
def test_a_truncated_store_is_refused(name, tmp_path):
    TokenStore.build(tmp_path / "a", PAIRS)
    path = tmp_path / "a" / name
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(FormatError, match="Remove the folder of prepared data"):
        TokenStore.open(tmp_path / "a")
    path.unlink()
    with pytest.raises(FormatError, match="Remove the folder of prepared data"):
        TokenStore.open(tmp_path / "a")


def test_the_header_holds_the_checksum_of_every_file(tmp_path):
    TokenStore.build(tmp_path / "a", PAIRS)
    header = json.loads((tmp_path / "a" / "header.json").read_text())
    for side in ("source", "target"):
        for part in ("ids", "offsets"):
            assert header[side][f"{part}_crc32"] == zlib.crc32((tmp_path / "a" / f"{side}.{part}").read_bytes())


def test_a_newer_format_is_refused(tmp_path):
    TokenStore.build(tmp_path / "a", PAIRS)
    path = tmp_path / "a" / "header.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    with pytest.raises(FormatError, match="newer than this saccade"):
        TokenStore.open(tmp_path / "a")


def test_an_index_outside_is_an_error(tmp_path):
    store = TokenStore.build(tmp_path / "a", PAIRS)
    for index in (-1, 4):
        with pytest.raises(IndexError):
            store[index]


NAMES = ("header.json", "source.ids", "source.offsets", "target.ids", "target.offsets")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    return TokenStore.build(tmp_path_factory.mktemp("stores") / "whole", PAIRS).folder


def flip(path: Path, place: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)


@given(name=st.sampled_from(NAMES), place=st.integers(0, 10**6), bit=st.integers(0, 7))
@settings(max_examples=150)
def test_any_flipped_bit_is_refused_or_means_the_same(whole, name, place, bit):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(whole, Path(folder) / "store"))
        flip(copy / name, place, bit)
        refusal = None
        try:
            found = lists(TokenStore.open(copy))
        except FormatError as problem:
            refusal = str(problem)
        if refusal is None:
            assert (name, found) == ("header.json", PAIRS)  # a space that became another
        else:
            assert name in refusal or name == "header.json"
            assert "\n" not in refusal


def test_a_large_store_is_refused_before_an_id_of_it_is_used(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(store_checksums, "_AT_ONCE", 0)
    copy = Path(shutil.copytree(whole, tmp_path / "store"))
    flip(copy / "target.ids", 5)
    store = TokenStore.open(copy)
    assert store.source_lengths.tolist() == [3, 0, 1, 2]  # the offsets are sound
    for _ in range(2):
        with pytest.raises(FormatError, match=r"target\.ids` is damaged or altered: its checksum differs"):
            store[0]
        with pytest.raises(FormatError, match=r"target\.ids"):
            _ = store.target_ids


class Unreadable(np.ndarray):
    """Ids that cannot be looked at."""

    def __getitem__(self, place):
        raise MemoryError("no room for a block")


@pytest.mark.parametrize("at_once", [0, 1 << 24])
def test_ids_that_could_not_be_verified_are_not_sound(at_once, monkeypatch, tmp_path):
    monkeypatch.setattr(store_checksums, "_AT_ONCE", at_once)
    ids = store_checksums.IdsFile(tmp_path / "source.ids", np.zeros(7, np.int32).view(Unreadable), 0, None)

    with pytest.raises(MemoryError, match="no room"):
        store_checksums.IdsVerification((ids,)).check()


def test_damage_while_it_is_read_is_found_with_the_next_epoch(whole, tmp_path):
    copy = Path(shutil.copytree(whole, tmp_path / "store"))
    store = TokenStore.open(copy)
    batches = Batches([store], 16, seed=1)
    stream = batches.stream(Position(0, 0))
    epoch = len(batches.plan(0))
    for _ in range(epoch):
        next(stream)
    with (copy / "source.ids").open("r+b") as file:
        file.write(b"\x07")
    with pytest.raises(FormatError, match=r"source\.ids"):  # noqa: PT012 - the thread needs a moment
        for _ in range(100_000):
            next(stream)


@pytest.mark.parametrize("side", [0, 1])
def test_ids_beyond_the_vocabulary_are_refused(whole, side):
    sizes = [32, 48]
    assert lists(TokenStore.open(whole, (32, 48))) == PAIRS
    sizes[side] -= 1
    with pytest.raises(FormatError, match=rf"must hold ids below {sizes[side]}, .* but holds {sizes[side]}\."):
        TokenStore.open(whole, tuple(sizes))


@pytest.mark.parametrize("offsets", [[0, 3, 2, 4, 6], [1, 3, 3, 4, 6], [0, 3, 3, 4, 7], [0, -1, 3, 4, 6]])
def test_offsets_that_do_not_rise_are_refused_though_their_checksum_is_right(whole, tmp_path, offsets):
    copy = Path(shutil.copytree(whole, tmp_path / "store"))
    written = np.array(offsets, np.int64).tobytes()
    (copy / "source.offsets").write_bytes(written)
    header = json.loads((copy / "header.json").read_text())
    header["source"]["offsets_crc32"] = zlib.crc32(written)
    (copy / "header.json").write_text(json.dumps(header))
    with pytest.raises(FormatError, match=r"source\.offsets` must rise from 0 to 6, but does not"):
        TokenStore.open(copy)


@pytest.mark.parametrize(
    "change",
    [{"format": -1}, {"pairs": -1}, {"pairs": "4"}, {"pairs": 2**60}, {"ids": "float64"}, {"source": []}, {"more": 1}]
    + [{"target": {"tokens": 7}}, {"target": {"tokens": 2**60, "ids_crc32": 1, "offsets_crc32": 1}}],
    ids=str,
)
def test_a_header_of_another_shape_is_refused(whole, tmp_path, change):
    copy = Path(shutil.copytree(whole, tmp_path / "store"))
    header = json.loads((copy / "header.json").read_text())
    (copy / "header.json").write_text(json.dumps(header | change))
    with pytest.raises(FormatError, match="Remove the folder of prepared data that it is in"):
        TokenStore.open(copy)
