"""Whole systems as the arms of an experiment, on a text of a few lines."""

import re
from dataclasses import replace

import pytest
import torch
from torch import Generator

from saccade.claims.catalogue import CLAIMS
from saccade.claims.claim import Measured
from saccade.claims.history.h1_shuffled_source import shuffled
from saccade.claims.history.h2_rescoring import ARMS as RESCORING
from saccade.claims.history.h3_backwards import ARMS
from saccade.claims.measuring.trained_arms import TrainedArms
from saccade.claims.transformer.t3_learned_positions import ARMS as POSITIONS
from saccade.claims.transformer.t24_parsing import ARMS as PARSERS
from saccade.models.catalogue import architecture, build
from saccade.recipes.recipe import build_recipe
from saccade.sequences import Sequences
from saccade.special_tokens import EOS
from saccade.weights import parameter_count

GPU = [claim for claim in CLAIMS.values() if isinstance(getattr(claim.measure, "__self__", None), TrainedArms)]


@pytest.mark.parametrize("claim", GPU, ids=lambda claim: claim.id)
def test_every_arm_is_a_recipe_that_can_be_built(claim):
    arms = claim.measure.__self__
    for arm in arms.arms:
        recipe = build_recipe(arms.document(arm, seed=7))
        assert recipe.training.seed % 100 == 7
        assert isinstance(recipe.model, architecture(recipe.architecture).config)


def test_an_arm_changes_the_model_of_the_recipe_and_nothing_else():
    one, other = (POSITIONS.document(arm, seed=1) for arm in ("sinusoidal", "learned"))
    assert other["model"] == {**one["model"], "positions": "learned"}
    assert one["training"] == other["training"]


def test_a_second_system_of_the_same_kind_has_a_seed_of_its_own():
    one, other = (RESCORING.document(arm, seed=2) for arm in ("sequence to sequence", "another sequence to sequence"))
    assert one["model"] == other["model"]
    assert (one["training"]["seed"], other["training"]["seed"]) == (2, 102)


EQUAL = [claim for claim in GPU if re.search("equal parameters|as many parameters", claim.rule)]


@pytest.mark.parametrize("claim", EQUAL, ids=lambda claim: claim.id)
def test_arms_that_a_rule_calls_equal_are_alike_in_size_dropout_and_training(claim):
    arms = claim.measure.__self__
    recipes = [build_recipe(arms.document(arm, seed=1)) for arm in arms.arms]
    words = recipes[0].data.vocabulary
    sizes = [parameter_count(build(recipe.architecture, recipe.model, words, words)) for recipe in recipes]
    assert max(sizes) < 1.03 * min(sizes)
    assert len({recipe.model.dropout for recipe in recipes}) == 1
    assert all(recipe.training == recipes[0].training for recipe in recipes)


def test_there_are_such_rules():
    assert {claim.id for claim in EQUAL} >= {"H4", "H7", "H8", "H11"}


def test_both_parsers_can_be_built_and_are_of_equal_size():
    recipes = [build_recipe(PARSERS.document(arm, seed=1)) for arm in PARSERS.arms]
    sizes = [parameter_count(build(recipe.architecture, recipe.model, 80, 40)) for recipe in recipes]
    assert max(sizes) < 1.05 * min(sizes)


def test_a_shuffled_source_keeps_its_words_and_its_end():
    source = Sequences.of([[*range(10, 30), EOS], [5, 6, EOS]])
    other = shuffled(source)
    assert other.tokens[0].tolist() != source.tokens[0].tolist()
    assert other.tokens.sort(dim=1).values.tolist() == source.tokens.sort(dim=1).values.tolist()
    assert (other.tokens[0, 20].item(), other.tokens[1, 2].item()) == (EOS, EOS)


def test_none_leaves_out_what_the_recipe_has():
    assert "learning_rate_factor" not in ARMS.document("backwards", seed=1)["training"]
    assert "learning_rate_factor" in POSITIONS.document("learned", seed=1)["training"]


@pytest.mark.slow
def test_every_arm_is_trained_and_scored_as_it_was_saved(tmp_path):
    names = {}
    for split, lines in (("", 60), ("valid_", 6), ("test_", 6)):
        for side in ("source", "target"):
            names[f"{split}{side}"] = str(tmp_path / f"{split}{side}.txt")
            text = "".join(f"{'abcdefg'[n % 7]} {'hijk'[n % 4]} {n}\n" for n in range(lines))
            (tmp_path / f"{split}{side}.txt").write_text(text)
    small = {"width": 8, "layers": 1}
    arms = replace(
        ARMS,
        arms={name: {**model, **small} for name, model in ARMS.arms.items()},
        data={**names, "corpus": None, "source_language": "xx", "target_language": "yy", "vocabulary": 300},
        training={**ARMS.training, "steps": 2, "warmup": 1, "validate_every": 2, "checkpoint_every": 2},
        look=lambda run: {"files": float(len(list((run / "model").iterdir())))},
        look_at_all=lambda runs: {"runs": float(sum((run / "model").is_dir() for run in runs.values()))},
    )
    heard = []
    found = arms.measure(Generator().manual_seed(3), heard.append)
    assert set(found) == {f"{arm}{what}" for arm in ARMS.arms for what in ("", ", files")} | {"runs"}
    assert found["runs"] == len(ARMS.arms)
    assert found["backwards, files"] > 0
    assert heard == [0.5, 1.0]
    assert torch.get_default_device().type == "cpu"
    figures = Measured((3,), (found,))
    assert figures.each("backwards") == [found["backwards"]]
