import json
import os
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest
from tests.unit.data.small_corpus import NAMES, small_corpus

from saccade.data.config import DataConfig, languages
from saccade.data.prepare import HELD_OUT, prepare
from saccade.data.tasks import TASKS
from saccade.errors import ConfigError, InputError, SaccadeError

# Of the token ids that the version before noise wrote where it held two sources out.
WITHOUT_NOISE = "591cccde2e85e8389befaa75c0ff38382e4e3ed52592131ac96edca7a7569dc0"


@pytest.fixture
def config(tmp_path) -> DataConfig:
    return small_corpus(tmp_path)


def texts(tokenizer, store, side):
    return [tokenizer.decode(store[index][side].tolist()) for index in range(len(store))]


def test_everything_read_is_in_training_or_validation(config, tmp_path):
    prepared = prepare(config, tmp_path / "out")
    assert prepared.source_tokenizer is prepared.target_tokenizer
    assert len(prepared.train) == 1
    assert len(prepared.train[0]) + len(prepared.valid) == 98
    train = prepared.report.splits["train"]
    assert (train.read, train.kept, train.count(HELD_OUT)) == (98, len(prepared.train[0]), len(prepared.valid))


def test_no_held_out_source_is_trained_on(config, tmp_path):
    prepared = prepare(config, tmp_path / "out")
    trained = set(texts(prepared.source_tokenizer, prepared.train[0], 0))
    held_out = {source for source, _ in prepared.valid_text}
    assert held_out
    assert not trained & held_out
    assert len(prepared.valid_text) == 2 * len(held_out)


def test_what_was_prepared_before_there_was_noise_stays_byte_for_byte(config, tmp_path):
    prepare(replace(config, valid_lines=2), tmp_path / "out")
    digest = sha256()
    for name in ("train-0/source.ids", "train-0/target.ids", "valid/source.ids", "valid/target.ids"):
        digest.update((tmp_path / "out" / name).read_bytes())
    assert digest.hexdigest() == WITHOUT_NOISE
    stamp = json.loads((tmp_path / "out" / "prepared.json").read_text())
    assert not [key for key in stamp["config"] if key.startswith("noise")]
    assert "noise" not in json.loads((tmp_path / "out" / "report.json").read_text())


def test_noise_is_in_the_training_text_alone_and_drawn_anew_in_each_copy(config, tmp_path):
    noisy = replace(config, noise=3.0, noise_kinds=("upper-case", "copies"), sampled_copies=3)
    prepared = prepare(noisy, tmp_path / "out")
    assert len(prepared.train) == 3
    assert prepared.valid_text == prepare(config, tmp_path / "clean").valid_text
    sources, targets = ([texts(prepared.source_tokenizer, store, side) for store in prepared.train] for side in (0, 1))
    assert sources[0] != sources[1] != sources[2]
    copied, capitals = 0, 0
    for source, target in zip(chain(*sources), chain(*targets), strict=True):
        copied += source == target
        capitals += source.isupper() and target.isupper() and source != target
    pairs = sum(map(len, sources))
    assert prepared.report.noise == {"copies": copied / pairs, "upper-case": capitals / pairs}
    assert "noise in" in prepared.report.text(TASKS["translation"])
    again = prepare(noisy, tmp_path / "again")
    assert [texts(again.source_tokenizer, store, 0) for store in again.train] == sources


def test_validation_text_and_store_belong_together(config, tmp_path):
    prepared = prepare(config, tmp_path / "out")
    sources, targets = (texts(prepared.target_tokenizer, prepared.valid, side) for side in (0, 1))
    assert list(zip(sources, targets, strict=True)) == prepared.valid_text


def test_validation_files_are_taken_as_they_are(config, tmp_path):
    (tmp_path / "valid.tsv").write_text("Otto sieht  Anna .\tOtto sees Anna\nA .\t" + 80 * "x" + "\n\tnothing\n")
    prepared = prepare(replace(config, valid_source=str(tmp_path / "valid.tsv")), tmp_path / "out")
    assert len(prepared.train[0]) == 98
    assert prepared.valid_text == [("Otto sieht  Anna .", "Otto sees Anna"), ("A .", 80 * "x")]
    assert prepared.report.splits["valid"].count("empty") == 1


def test_asking_again_opens_what_is_there(config, tmp_path):
    first = prepare(config, tmp_path / "out")
    stamps = {path: path.stat().st_mtime_ns for path in sorted((tmp_path / "out").rglob("*"))}
    again = prepare(config, tmp_path / "out")
    assert {path: path.stat().st_mtime_ns for path in sorted((tmp_path / "out").rglob("*"))} == stamps
    assert again.report == first.report
    assert again.valid_text == first.valid_text


def test_another_config_or_other_text_is_prepared_anew(config, tmp_path):
    prepare(config, tmp_path / "out")
    assert prepare(replace(config, vocabulary=300), tmp_path / "out").source_tokenizer.size == 300
    for side in ("de", "en"):
        with (tmp_path / f"train.{side}").open("a") as file:
            file.write("Otto .\n")
    assert prepare(replace(config, vocabulary=300), tmp_path / "out").report.splits["train"].read == 99


def test_what_is_prepared_opens_without_the_text(config, tmp_path):
    first = prepare(config, tmp_path / "out")
    (tmp_path / "train.de").unlink()
    assert prepare(config, tmp_path / "out").report == first.report
    with pytest.raises(InputError, match=r"train\.de"):
        prepare(replace(config, vocabulary=300), tmp_path / "out")


def test_preparing_twice_gives_the_same_bytes(config, tmp_path):
    sampled = replace(config, sampling=0.2, sampled_copies=3)
    prepare(sampled, tmp_path / "a")
    prepare(sampled, tmp_path / "b")
    files = [path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()]
    assert len(files) == 1 + 4 * 5 + 2 + 2
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_corpus_is_prepared_from_a_folder_whose_name_is_no_unicode(config, tmp_path, monkeypatch):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9s"))
    (folder / "tatoeba-en-de").mkdir(parents=True)
    for split in ("train", "valid", "test"):
        for language in ("de", "en"):
            text = (tmp_path / f"train.{language}").read_text()
            (folder / "tatoeba-en-de" / f"{split}.{language}").write_text(f"{text}\n")  # the report names an empty line
    monkeypatch.setenv("SACCADE_DATA", str(folder))
    known = replace(config, source=None, target=None, corpus="tatoeba-en-de", source_language="de")
    assert prepare(known, tmp_path / "out").report.splits["train"].count("empty") == 1


def test_copies_are_cut_differently_and_hold_the_same_text(config, tmp_path):
    prepared = prepare(replace(config, sampling=0.3, sampled_copies=3), tmp_path / "out")
    assert len({store.source_ids.tobytes() for store in prepared.train}) == 3
    assert len({str(texts(prepared.target_tokenizer, store, 1)) for store in prepared.train}) == 1


def test_pronunciation_has_characters_on_one_side_and_phones_on_the_other(tmp_path):
    words = [("tomato", "T AH M EY T OW"), ("tomato", "T AH M AA T OW"), ("w", "D AH B AH L Y UW"), ("oat", "OW T")]
    (tmp_path / "a.tsv").write_text("".join(f"{spelling}\t{phones}\n" for spelling, phones in words * 3))
    prepared = prepare(DataConfig(source=str(tmp_path / "a.tsv"), task="pronunciation"), tmp_path / "out")
    assert (prepared.source_tokenizer.kind, prepared.target_tokenizer.kind) == ("character", "word")
    assert len(prepared.target_tokenizer.encode(["D AH B AH L Y UW"])[0]) == 7
    assert len(prepared.train[0]) + len(prepared.valid) == 12
    assert len({source for source, _ in prepared.valid_text}) == 1


def test_ten_lines_are_enough(tmp_path):
    (tmp_path / "a.tsv").write_text("".join(f"eins {number}\tone {number}\n" for number in range(10)))
    prepared = prepare(DataConfig(source=str(tmp_path / "a.tsv")), tmp_path / "out")
    assert (len(prepared.train[0]), len(prepared.valid)) == (9, 1)


@pytest.mark.parametrize(
    ("content", "message"), [("a\tb\n", "two different"), ("a\t\n\tb\n", "two different"), ("", "empty")]
)
def test_too_little_text_is_refused(content, message, tmp_path):
    (tmp_path / "a.tsv").write_text(content)
    with pytest.raises(InputError, match=message):
        prepare(DataConfig(source=str(tmp_path / "a.tsv")), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tsv"]


def test_text_of_which_nothing_is_short_enough_is_refused(config, tmp_path):
    with pytest.raises(InputError, match="too long"):
        prepare(replace(config, maximum_length=2), tmp_path / "out")


def test_a_folder_with_other_files_is_left_alone(config, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("work of years")
    with pytest.raises(InputError, match="other files"):
        prepare(config, tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").exists()


def test_notes_in_the_folder_outlive_another_preparation(config, tmp_path):
    prepare(config, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "valid" / "notes.txt").write_text("mine")
    prepare(replace(config, seed=5), tmp_path / "out")
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert (tmp_path / "out" / "valid" / "notes.txt").read_text() == "mine"
    prepare(replace(config, seed=5), tmp_path / "out")


@pytest.mark.parametrize("content", ["", "one line\n", "ok\xff\n"])
def test_a_fault_in_the_validation_text_is_found_before_the_rest_is_read(content, config, tmp_path):
    (tmp_path / "v.de").write_text("ein Satz\nnoch ein Satz\n", encoding="utf-8")
    (tmp_path / "v.en").write_text(content, encoding="latin-1")
    told = []
    files = {"valid_source": str(tmp_path / "v.de"), "valid_target": str(tmp_path / "v.en")}
    with pytest.raises(InputError, match=r"v\.en(:1)?` must"):
        prepare(replace(config, **files), tmp_path / "out", lambda *event: told.append(event))
    assert told == []


def test_a_refusal_leaves_no_folder_behind(config, tmp_path):
    with pytest.raises(InputError, match="too long"):
        prepare(replace(config, maximum_length=2), tmp_path / "above" / "out")
    assert not (tmp_path / "above").exists()


def test_progress_is_told_to_the_end(config, tmp_path):
    heard = []
    prepared = prepare(config, tmp_path / "out", lambda message, done, total: heard.append((message, done, total)))
    trained = len(prepared.train[0])
    chosen = "choosing what to validate on"
    assert {(chosen, 98, 98), ("learning pieces", 1, 1), ("encoding", trained, trained)} <= set(heard)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"joint": True, "task": "pronunciation"}, "`joint` must be false.*character and word"),
        ({"joint": True, "source_pieces": "unigram"}, "`joint`"),
        ({"sampling": 1.5}, "between 0 and 1"),
        ({"sampling": 0.1, "pieces": "word"}, "`sampling` must be 0"),
        ({"vocabulary": 99_999_999_999}, "`vocabulary` must be from 1 to 10,000,000, but is 99,999,999,999"),
        ({"sampled_copies": 2}, "`sampled_copies` must be 1"),
        ({"sampled_copies": 0}, "`sampled_copies` must be at least 1"),
        ({"maximum_length": 1}, "`maximum_length`"),
        ({"maximum_ratio": float("nan")}, "`maximum_ratio` must be at least 1, but is nan"),
        ({"seed": -1}, "`seed` must be 0 or more, and less than 2\\^63, but is -1"),
        ({"seed": 2**63}, "`seed` must be 0 or more"),
        ({"source": "caf\udce9s"}, r"`source` must be a path in Unicode, but 'caf\\udce9s'"),
        ({"mix_source": ("a", "\udce9")}, "`mix_source` must be a path in Unicode"),
        ({"valid_lines": 0}, "`valid_lines`"),
        ({"task": "translatoin"}, "Did you mean 'translation'"),
        ({"corpus": "multi30k", "source": "a"}, "must not both be given"),
    ],
)
def test_a_config_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        DataConfig(**changes)


def test_a_config_without_text_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"`data\.source`"):
        prepare(DataConfig(), tmp_path / "out")


def test_sides_with_different_pieces_do_not_share_unless_asked():
    assert DataConfig().shares_vocabulary
    assert not DataConfig(source_pieces="character").shares_vocabulary
    assert not DataConfig(joint=False).shares_vocabulary
    assert DataConfig(task="pronunciation", pieces="bpe", joint=True).shares_vocabulary


@pytest.fixture
def text(tmp_path) -> DataConfig:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{a} sees {b} .\n" for a in NAMES for b in NAMES))
    return DataConfig(source=str(path), task="language-modelling", vocabulary=320)


def test_text_alone_has_one_tokenizer_and_no_sources(text, tmp_path):
    prepared = prepare(text, tmp_path / "out")
    assert prepared.source_tokenizer is prepared.target_tokenizer
    assert len(prepared.train[0]) + len(prepared.valid) == 49
    assert prepared.train[0].source_lengths.max() == 0
    assert all(source == "" for source, _ in prepared.valid_text)
    trained = set(texts(prepared.target_tokenizer, prepared.train[0], 1))
    assert prepared.valid_text
    assert not trained & {line for _, line in prepared.valid_text}


def test_text_may_be_cut_into_words(text, tmp_path):
    prepared = prepare(replace(text, pieces="word", vocabulary=None), tmp_path / "out")
    assert prepared.target_tokenizer.kind == "word"
    assert set(prepared.train[0].target_lengths.tolist()) == {4}


@pytest.mark.parametrize("changes", [{"joint": False}, {"source_pieces": "word"}, {"target": "b"}])
def test_text_alone_has_nothing_on_the_other_side(text, tmp_path, changes):
    with pytest.raises(SaccadeError, match="must be left out"):
        prepare(replace(text, **changes), tmp_path / "out")


@pytest.mark.parametrize("changes", [{"joint": True, "pieces": "word"}, {"target_pieces": "bpe"}])
def test_labels_are_cut_into_nothing_and_share_nothing(changes):
    with pytest.raises(ConfigError, match="a label is one piece"):
        DataConfig(task="classification", **changes)


def test_every_label_has_its_piece_however_few_pieces_the_text_may_have(config, tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"name {line.split()[0]}\n" for line in Path(config.source).read_text().splitlines()))
    chosen = replace(config, target=str(labels), task="classification", valid_lines=1)
    prepared = prepare(chosen, tmp_path / "out")
    assert prepared.target_tokenizer.size == 4 + len(NAMES)
    assert set(prepared.train[0].target_lengths.tolist()) == {1}
    assert prepared.source_tokenizer.kind == "bpe"


def test_the_text_of_a_known_corpus_is_english_unless_another_side_is_asked_for():
    english = DataConfig(corpus="multi30k", task="language-modelling")
    assert languages(english) == (None, "en")
    assert languages(replace(english, target_language="de")) == (None, "de")
    assert languages(replace(english, corpus="toy-reverse")) == (None, "forward")
    assert languages(DataConfig(corpus="multi30k")) == ("en", "de")
