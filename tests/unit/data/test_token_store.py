import json
import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    with pytest.raises(FormatError, match="[Bb]uild"):
        TokenStore.open(tmp_path / "a")
    path.unlink()
    with pytest.raises(FormatError, match="[Bb]uild"):
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
