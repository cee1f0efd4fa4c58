import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.config import DataConfig
from saccade.data.mixing import BEYOND_SHARE, copies, wanted_pairs
from saccade.data.prepare import HELD_OUT, prepare
from saccade.errors import ConfigError

NAMES = ("Anna", "Bert", "Carla", "Dora", "Emil", "Fritz", "Greta", "Hans", "Ida", "Jan")


@given(available=st.integers(1, 60), wanted=st.integers(0, 200))
def test_exactly_the_wanted_pairs_are_written_and_evenly(available, wanted):
    times = [copies(number, available, wanted) for number in range(available)]
    assert sum(times) == wanted
    assert max(times) - min(times) <= 1
    halves = sum(times[: available // 2]), available // 2 * wanted / available
    assert abs(halves[0] - halves[1]) < 1


def test_a_share_is_of_all_pairs():
    assert wanted_pairs(own=70, available=1000, share=0.3) == 30
    assert wanted_pairs(own=70, available=1000, share=None) == 1000


@pytest.fixture
def config(tmp_path):
    """100 sentences of their own, and 40 others in two files, three of which they also have."""
    own = [f"{a} sieht {b} ." for a in NAMES for b in NAMES]
    old = [f"{a} malt {b} ." for a in NAMES[:4] for b in NAMES][:37] + own[:3]
    for name, lines in (("own", own), ("one", old[:20]), ("two", old[20:])):
        (tmp_path / f"{name}.de").write_text("".join(f"{line}\n" for line in lines))
        (tmp_path / f"{name}.en").write_text("".join(f"{line.upper()}\n" for line in lines))
    return DataConfig(
        source=str(tmp_path / "own.de"),
        target=str(tmp_path / "own.en"),
        mix_source=(str(tmp_path / "one.de"), str(tmp_path / "two.de")),
        mix_target=(str(tmp_path / "one.en"), str(tmp_path / "two.en")),
        vocabulary=330,
    )


def sources(prepared):
    store = prepared.train[0]
    return [prepared.source_tokenizer.decode(store[index][0].tolist()) for index in range(len(store))]


def test_mixed_pairs_follow_the_others_in_training_and_are_not_held_out(config, tmp_path):
    prepared = prepare(config, tmp_path / "out")
    mixed = prepared.report.splits["mixed in"]
    trained, held_out = sources(prepared), {source for source, _ in prepared.valid_text}
    assert not any("malt" in source for source in held_out)
    assert sum("malt" in source for source in trained) == 37
    assert mixed.read == 40 == mixed.kept + mixed.count(HELD_OUT)
    assert not set(trained) & held_out


@pytest.mark.parametrize(("share", "mixed"), [(0.2, 25), (0.5, 100)])
def test_with_a_share_pairs_are_left_out_or_repeated(config, tmp_path, share, mixed):
    prepared = prepare(
        replace(config, mix_share=share, valid_source=config.source, valid_target=config.target), tmp_path / "out"
    )
    assert len(prepared.train[0]) == 100 + mixed
    assert prepared.report.splits["mixed in"].count(BEYOND_SHARE) == max(40 - mixed, 0)


def test_mixed_files_are_part_of_what_was_prepared(config, tmp_path):
    prepare(config, tmp_path / "out")
    (tmp_path / "two.de").write_text("Otto malt .\n" * 20)
    assert "Otto malt ." in sources(prepare(config, tmp_path / "out"))


def test_given_tokenizers_are_kept(config, tmp_path):
    old = prepare(config, tmp_path / "old")
    other = replace(config, source=config.mix_source[0], target=config.mix_target[0], mix_source=(), mix_target=())
    new = prepare(other, tmp_path / "new", vocabulary=tmp_path / "old")
    assert new.source_tokenizer == old.source_tokenizer
    assert prepare(other, tmp_path / "new").source_tokenizer != old.source_tokenizer


def test_a_symbol_is_one_piece_and_only_as_a_word(config, tmp_path):
    tagged = prepare(replace(config, symbols=("<BT>",)), tmp_path / "out").source_tokenizer
    plain = prepare(config, tmp_path / "plain").source_tokenizer
    assert (tagged.has_symbol("<BT>"), plain.has_symbol("<BT>")) == (True, False)
    assert tagged.pieces(tagged.encode(["<BT> Anna"])[0])[0] == "▁<BT>"
    assert tagged.decode(tagged.encode(["<BT> Anna x<BT>"])[0]) == "<BT> Anna x<BT>"
    assert json.loads((tmp_path / "out" / "prepared.json").read_text())["config"]["symbols"] == ["<BT>"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"mix_target": ("one.en",)}, "file for each"),
        ({"mix_share": 1.0}, "less than 1"),
        ({"mix_source": (), "mix_target": (), "mix_share": 0.5}, "files to mix in"),
        ({"symbols": ("two words",)}, "without spaces"),
        ({"symbols": ("<BT>",), "pieces": "character"}, "characters"),
        ({"task": "classification"}, "closed list"),
    ],
)
def test_what_cannot_be_mixed_is_refused(config, wrong, said):
    with pytest.raises(ConfigError, match=said):
        replace(config, **wrong)
