"""CTranslate2 in float32 finds what our own search finds."""

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.shortlist import Shortlist
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.hypothesis import Hypothesis
from saccade.errors import ConfigError
from saccade.sequences import Sequences
from saccade.serving import ctranslate2_engine
from saccade.serving.batching import SearchInput, batches
from saccade.serving.bundle import Bundle
from saccade.serving.ctranslate2_engine import ABANDONED, KEPT, Ctranslate2Engine, over_too_soon
from saccade.serving.model_names import model_folder
from saccade.special_tokens import EOS

pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")

# Two outputs whose scores differ by less than this are a tie: arithmetic in another order decides between them.
TIE = 1e-3


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "engines" / "ctranslate2"


@pytest.fixture(scope="module")
def untrained(folder) -> Bundle:
    return Bundle.load(folder)


@pytest.fixture(scope="module")
def trained() -> Bundle:
    return Bundle.load(model_folder("en-es"))


def sentences(tokenizer: Tokenizer, *texts: str) -> list[SearchInput]:
    return [SearchInput(tuple(tokens)) for tokens in tokenizer.encode(texts)]


def plainly(bundle: Bundle, asked: list[SearchInput], config: BeamConfig) -> list[list[Hypothesis]]:
    """What the readable search finds."""
    found: list[list[Hypothesis]] = [[] for _ in asked]
    for batch in batches([len(sentence.tokens) for sentence in asked], 1000):
        source = Sequences.of([[*asked[index].tokens, EOS] for index in batch])
        for index, hypotheses in zip(batch, beam_search(bundle.model, source, config), strict=True):
            found[index] = hypotheses
    return found


def compare(bundle: Bundle, asked: list[SearchInput], config: BeamConfig, workers: int = 2) -> tuple[int, int]:
    """How many best outputs are other ones, ties left out, and how many are ties."""
    ours = plainly(bundle, asked, config)
    theirs = Ctranslate2Engine.of(bundle, form="float32", workers=workers).search(asked, config)
    different = ties = 0
    for mine, yours in zip(ours, theirs, strict=True):
        if mine[0].tokens == yours[0].tokens:
            # What PAD and BOS would get is shared among the others there: for an untrained model a hundredth of a nat.
            tolerance = 0.01 * len(mine[0].tokens)
            assert yours[0].log_probability == pytest.approx(mine[0].log_probability, abs=tolerance)
        elif abs(mine[0].score - yours[0].score) < TIE:
            ties += 1
        else:
            different += 1
    return different, ties


TEXTS = (
    "Where is the station?",
    "She has been living in Madrid for seven years.",
    "I don't know whether he will come tomorrow, but I hope so.",
    "No.",
    "The cat sleeps on the sofa and the dog sleeps under the table.",
    "Could you please tell me what time the last train leaves?",
    "They sold their house because it was too big for them.",
)


@pytest.mark.parametrize("size", [5, *(pytest.param(size, marks=pytest.mark.slow) for size in (2, 4))])
def test_a_trained_model_writes_the_same(trained, size):
    asked = sentences(trained.source_tokenizer, *TEXTS)
    assert compare(trained, asked, BeamConfig(size=size, alpha=0.6)) == (0, 0)


@pytest.mark.parametrize("alpha", [pytest.param(0.0, marks=pytest.mark.slow), 1.3])
def test_the_length_penalty_is_ours(trained, alpha):
    asked = sentences(trained.source_tokenizer, *TEXTS)
    assert compare(trained, asked, BeamConfig(size=4, alpha=alpha)) == (0, 0)


def test_scores_are_log_probabilities_over_the_length_penalty(trained):
    (found,) = Ctranslate2Engine.of(trained, form="float32").search(
        sentences(trained.source_tokenizer, TEXTS[1]), BeamConfig(size=4, alpha=0.6, nbest=4)
    )
    assert len(found) == 4
    for one in found:
        assert one.score == pytest.approx(one.log_probability / ((5 + len(one.tokens)) / 6) ** 0.6)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_the_n_best_are_the_same(trained):
    asked = sentences(trained.source_tokenizer, *TEXTS[:3])
    config = BeamConfig(size=4, alpha=0.6, nbest=2)
    ours = plainly(trained, asked, config)
    theirs = Ctranslate2Engine.of(trained, form="float32").search(asked, config)
    assert [[one.tokens for one in best] for best in theirs] == [[one.tokens for one in best] for best in ours]


@pytest.mark.parametrize("extra_length", [0, 7])
def test_limits_belong_to_each_sentence(untrained, extra_length):
    """An untrained model hardly ever ends, so every output runs into the limit of its own sentence."""
    asked = sentences(untrained.source_tokenizer, "A dog runs.", "Two men are talking in the street.", "She reads.")
    config = BeamConfig(size=3, alpha=0.6, extra_length=extra_length)
    found = Ctranslate2Engine.of(untrained, form="float32", workers=1).search(asked, config, batch_tokens=1000)
    ended = [
        (len(best[0].tokens) - len(one.tokens) - 1, best[0].finished) for one, best in zip(asked, found, strict=True)
    ]
    assert any(reached == extra_length and not finished for reached, finished in ended)
    assert all(reached <= extra_length for reached, _ in ended)
    assert compare(untrained, asked, config) == (0, 0)


@pytest.mark.slow
def test_workers_and_batches_change_nothing(trained):
    asked = sentences(trained.source_tokenizer, *TEXTS)
    config = BeamConfig(size=4, alpha=0.6)
    one, two = (Ctranslate2Engine.of(trained, form="float32", workers=workers) for workers in (1, 2))
    alone = [one.search([sentence], config)[0][0].tokens for sentence in asked]
    assert [best[0].tokens for best in two.search(asked, config)] == alone
    assert [best[0].tokens for best in two.search(asked, config, batch_tokens=1)] == alone


def test_nothing_to_search_finds_nothing(untrained):
    assert Ctranslate2Engine.of(untrained).search([], BeamConfig()) == []


@pytest.mark.parametrize(
    ("config", "prefixed", "message"),
    [(BeamConfig(coverage=0.2), False, "`coverage` must be 0"), (BeamConfig(), True, "`prefix` must be empty")],
)
def test_what_it_cannot_do_it_says(untrained, config, prefixed, message):
    engine = Ctranslate2Engine.of(untrained)
    assert message in (engine.obstacle(config, prefixed) or "")
    assert engine.obstacle(BeamConfig(), False) is None


@pytest.mark.slow
def test_bytes_instead_of_floats_write_nearly_the_same(trained):
    asked = sentences(trained.source_tokenizer, *TEXTS)
    config = BeamConfig(size=4, alpha=0.6)
    whole = replace(trained, shortlist=None, digest=None)
    ours = plainly(whole, asked, config)
    theirs = Ctranslate2Engine.of(whole, form="int8").search(asked, config)
    for mine, yours in zip(ours, theirs, strict=True):
        assert yours[0].score == pytest.approx(mine[0].score, abs=0.3)


def test_a_shortlist_is_used_only_where_the_beam_finds_enough(trained):
    assert trained.shortlist is None or len(trained.shortlist.always) >= 100
    without = replace(trained, shortlist=None, digest=None)
    assert "shortlist" not in Ctranslate2Engine.of(without).description


@pytest.mark.slow
@pytest.mark.skipif("SACCADE_DATA" not in os.environ, reason="SACCADE_DATA is not set")
def test_a_thousand_sentences_are_the_same(trained):
    path = Path(os.environ["SACCADE_DATA"]) / "tatoeba-en-es" / "test.en"
    texts = list(dict.fromkeys(path.read_text(encoding="utf-8").splitlines()))[:1000]
    different, ties = compare(trained, sentences(trained.source_tokenizer, *texts), BeamConfig(size=4, alpha=0.6))
    assert different == 0
    assert ties <= 3


def test_torch_keeps_its_threads(untrained):
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        Ctranslate2Engine.of(untrained)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_a_model_is_converted_once(untrained, cache):
    Ctranslate2Engine.of(untrained, workers=1)
    (kept,) = cache.iterdir()
    written = (kept / "model.bin").stat()
    Ctranslate2Engine.of(untrained, workers=1)
    (again,) = cache.iterdir()
    assert (again / "model.bin").stat().st_ino == written.st_ino


def test_each_form_and_each_model_has_its_own(untrained, cache):
    Ctranslate2Engine.of(untrained, workers=1)
    Ctranslate2Engine.of(untrained, form="float32", workers=1)
    Ctranslate2Engine.of(replace(untrained, digest="0" * 64), workers=1)
    assert len(list(cache.iterdir())) == 3


def test_the_cache_is_bounded_and_forgets_the_oldest(untrained, cache):
    for number in range(KEPT + 2):
        Ctranslate2Engine.of(replace(untrained, digest=f"{number:064}"[::-1]), workers=1)
        for age, folder in enumerate(sorted(cache.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)):
            os.utime(folder, (1e9 - 60 * age, 1e9 - 60 * age))
    assert sorted(folder.name[0] for folder in cache.iterdir()) == list("23456789")


def test_nothing_is_written_into_the_model_folder(folder, untrained, cache):
    before = sorted(path.name for path in folder.iterdir())
    Ctranslate2Engine.of(untrained, workers=1)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_cache_that_cannot_be_written_is_done_without(untrained, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "file"))
    engine = Ctranslate2Engine.of(untrained, workers=1)
    assert engine.search([SearchInput((9, 7))], BeamConfig(size=2, extra_length=3))[0]


def test_a_model_that_no_folder_holds_leaves_nothing(untrained, cache):
    Ctranslate2Engine.of(replace(untrained, digest=None), workers=1)
    assert not cache.exists()


def test_a_model_it_cannot_run_is_refused(untrained, cache):
    config = replace(untrained.model_config, attention_window=3)
    with pytest.raises(ConfigError, match="attention_window"):
        Ctranslate2Engine.of(replace(untrained, model_config=config))
    assert not cache.exists()


def test_an_interrupted_conversion_is_not_taken_for_one(untrained, cache, monkeypatch):
    def fails(bundle, folder, form):  # noqa: ARG001
        folder.mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(ctranslate2_engine, "export", fails)
    with pytest.raises(KeyboardInterrupt):
        Ctranslate2Engine.of(untrained, workers=1)
    monkeypatch.undo()
    monkeypatch.setenv("SACCADE_CACHE", str(cache.parents[1]))
    assert Ctranslate2Engine.of(untrained, workers=1).search([SearchInput((9, 7))], BeamConfig(size=2, extra_length=3))


def taught(bundle: Bundle) -> Bundle:
    """With a shortlist, so that there is a vmap.txt."""
    size = bundle.target_tokenizer.size
    shortlist = Shortlist(
        np.arange(size - 3, dtype=np.int32), np.zeros(size + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    )
    return replace(bundle, shortlist=shortlist)


def zeroed(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(bytes(512))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = (Path.unlink, emptied, zeroed)


@pytest.mark.parametrize("name", ["model.bin", "config.json", "shared_vocabulary.json", "vmap.txt", "saccade.json"])
def test_a_damaged_conversion_is_made_again(name, untrained, cache):
    bundle = taught(untrained)
    Ctranslate2Engine.of(bundle, workers=1)
    (kept,) = cache.iterdir()
    whole = {path.name: path.read_bytes() for path in kept.iterdir()}
    for damage in DAMAGES:
        damage(kept / name)
        engine = Ctranslate2Engine.of(bundle, workers=1)
        assert engine.search([SearchInput((9, 7))], BeamConfig(size=2, extra_length=3))[0]
        assert list(cache.iterdir()) == [kept]
        assert {path.name: path.read_bytes() for path in kept.iterdir()} == whole


def test_a_conversion_whose_place_is_taken_by_a_file_is_done_without(untrained, cache):
    Ctranslate2Engine.of(untrained, workers=1)
    (kept,) = cache.iterdir()
    shutil.rmtree(kept)
    kept.write_text("mine")
    engine = Ctranslate2Engine.of(untrained, workers=1)
    assert engine.search([SearchInput((9, 7))], BeamConfig(size=2, extra_length=3))[0]
    assert kept.read_text() == "mine"


@pytest.mark.parametrize(
    ("hypotheses", "scores", "expected"),
    [
        ([["g", "g", "</s>"], ["g", "g", "g", "</s>"], ["g", "g", "g", "d", "</s>"]], [-7.9, -8.0, -8.1], True),
        ([["g", "</s>"], ["</s>"]], [-8.0, -8.1], True),
        ([["g", "d", "</s>"], ["g", "</s>"]], [-0.4, -8.0], False),  # more probable than all others together
        ([["a", "dog", "</s>"], ["the", "dog", "</s>"]], [-2.0, -2.1], False),
        ([["a", "</s>"]], [-2.0], False),
    ],
)
def test_a_search_that_was_over_too_soon_is_known_by_outputs_that_begin_others(hypotheses, scores, expected):
    assert over_too_soon(hypotheses, scores) is expected


def test_what_is_left_of_a_killed_conversion_is_removed_when_nobody_can_be_at_work_on_it(untrained, cache):
    now = time.time()
    for name, age in ((".killed.123", ABANDONED + 60), (".begun.456", 60)):
        (cache / name / "inside").mkdir(parents=True)
        os.utime(cache / name, (now - age, now - age))
    Ctranslate2Engine.of(untrained, workers=1)
    assert [path.name for path in cache.iterdir() if path.name.startswith(".")] == [".begun.456"]
