from itertools import permutations

import pytest
import torch

from saccade.data.config import DataConfig
from saccade.data.parallel_text import PairFiles
from saccade.runs.final_model import held_out_pairs
from saccade.runs.run import train
from saccade.serving.loading import load
from saccade.training.checkpoint import average_checkpoints
from saccade.weights import weights_of

SHORT = (
    "training.steps=6",
    "training.validate_every=5",
    "training.checkpoint_every=2",
    "training.average=2",
    "training.batch_tokens=256",
    "model.width=16",
    "model.inner_width=24",
    "decoding.size=1",
    "decoding.extra_length=1",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return train("tiny", tmp_path_factory.mktemp("runs") / "run", overrides=SHORT, device="cpu")


def test_the_model_is_the_mean_of_the_last_planned_checkpoints(finished):
    folder = finished.folder
    mean = average_checkpoints([folder / "checkpoints" / f"step-{step:06d}" for step in (4, 6)])
    model = weights_of(load(folder, device="cpu").bundle.model)
    assert all(torch.equal(model[name], tensor) for name, tensor in mean.items())


def test_held_out_splits_are_scored(finished):
    assert set(finished.scores) == {"valid", "test"}


def test_the_card_states_scores_signatures_licence_and_recipe(finished):
    card = (finished.folder / "model" / "card.md").read_text()
    for stated in ("tok:13a", "licence: Apache-2.0", "saccade train tiny", 'corpus = "toy-reverse"', "parameters"):
        assert stated in card


@pytest.mark.parametrize("language", ["es", pytest.param("xx", marks=pytest.mark.slow)])
def test_a_run_that_translates_ends_with_confidences(language, tmp_path):
    """Learned from the outputs for validation, which are scored anyway; a made-up language has no faults to find."""
    lines = [" ".join(letters) for letters in permutations("abcdef", 5)]
    for name, some in (("train", lines[:360]), ("valid", lines[360:480])):
        (tmp_path / f"{name}.en").write_text("".join(f"{line}\n" for line in some))
        (tmp_path / f"{name}.{language}").write_text("".join(f"{line[::-1]}\n" for line in some))
    files = DataConfig(
        source=str(tmp_path / "train.en"),
        target=str(tmp_path / f"train.{language}"),
        valid_source=str(tmp_path / "valid.en"),
        valid_target=str(tmp_path / f"valid.{language}"),
        source_language="en",
        target_language=language,
        pieces="word",
        maximum_length=20,
    )
    folder = train(files, tmp_path / "run", overrides=SHORT, device="cpu").folder
    profile, card = load(folder, device="cpu").bundle.profile, (folder / "model" / "card.md").read_text()
    assert ("## Confidence" in card) == (profile is not None) == (language == "es")
    if profile is not None:
        assert profile.names is None, "names need training pairs"
        assert profile.calibration.sentences is not None
        assert sum(one.count for one in profile.calibration.sentences.bins) == 60, "every second output tests the map"
        assert profile.calibration.to_markdown() in card


def test_the_held_out_pairs_of_a_test_set_are_all_of_them_however_odd(tmp_path):
    sources = ["one", "two " * 5000, "one", "x", "a b c"]
    targets = ["eins", "zwei", "eins", "y " * 500, "a b c"]
    for name, lines in (("s", sources), ("t", targets)):
        (tmp_path / name).write_text("".join(f"{line.strip()}\n" for line in lines))
    expected = [(source.strip(), target.strip()) for source, target in zip(sources, targets, strict=True)]
    assert held_out_pairs(PairFiles(tmp_path / "s", tmp_path / "t")) == expected
