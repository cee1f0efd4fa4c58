import json

import numpy as np
import pytest

from saccade.data.parallel_text import PairFiles
from saccade.data.shortlist import Shortlist
from saccade.errors import FormatError, InputError
from saccade.serving.bundle import Bundle, add_shortlist
from saccade.serving.shortlist import teach_shortlist


@pytest.fixture
def model(make_bundle, tmp_path):
    return make_bundle(tmp_path / "model")


@pytest.fixture
def files(tmp_path):
    for side, word in (("source", "dog"), ("target", "street")):
        lines = [f"A {word} number {number} runs." for number in range(97)]
        (tmp_path / side).write_text("\n".join(lines) + "\n")
    return PairFiles(tmp_path / "source", tmp_path / "target")


def test_it_becomes_part_of_the_model_folder(model, files):
    learned = teach_shortlist(model, files)
    bundle = Bundle.load(model)
    assert bundle.shortlist is not None
    assert learned.pairs == 48
    assert 0.9 < learned.covered <= 1
    assert learned.pieces < bundle.target_tokenizer.size


def test_nothing_else_of_the_folder_changes(model, files):
    kept = {path.name: path.read_bytes() for path in model.iterdir() if path.name != "config.json"}
    before = json.loads((model / "config.json").read_text())
    teach_shortlist(model, files)
    after = json.loads((model / "config.json").read_text())
    assert {name: (model / name).read_bytes() for name in kept} == kept
    assert {key for key in before if before[key] != after[key]} == {"files", "seal"}


def test_a_second_one_takes_the_place_of_the_first(model, files):
    size = Bundle.load(model).source_tokenizer.size
    nothing = np.zeros(0, dtype=np.int32)
    add_shortlist(model, Shortlist(np.array([1, 2], dtype=np.int32), np.zeros(size + 1, dtype=np.int32), nothing))
    teach_shortlist(model, files)
    shortlist = Bundle.load(model).shortlist
    assert shortlist is not None
    assert len(shortlist.always) > 2


def test_another_shortlist_is_another_model(model, files):
    before = Bundle.load(model).digest
    teach_shortlist(model, files)
    assert Bundle.load(model).digest != before


def test_a_changed_shortlist_is_noticed(model, files):
    teach_shortlist(model, files)
    path = model / "shortlist.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"\7")
    with pytest.raises(FormatError, match=r"shortlist\.safetensors is damaged or altered"):
        Bundle.load(model)


def test_too_few_pairs_are_refused(model, tmp_path):
    for side in ("source", "target"):
        (tmp_path / side).write_text("one\n")
    with pytest.raises(InputError, match="at least 2 pairs"):
        teach_shortlist(model, PairFiles(tmp_path / "source", tmp_path / "target"))
