"""A parser from sentences and trees, all the way through the command line."""

import json
import random

import pytest

from saccade import load
from saccade.data.synthetic_treebank import derive
from saccade.data.trees import Tree
from saccade.evaluation.bracket_score import bracket_counts


@pytest.fixture(scope="module")
def trees() -> list[Tree]:
    chance = random.Random(5)
    return [derive(chance) for _ in range(40)]


@pytest.fixture(scope="module")
def files(write, trees, tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebank")
    return (
        write(folder / "a.words", [" ".join(tree.words) for tree in trees]),
        write(folder / "a.trees", [str(tree) for tree in trees]),
    )


TINY = {
    "model__encoder_layers": 1,
    "model__decoder_layers": 1,
    "model__width": 16,
    "model__inner_width": 16,
    "model__heads": 2,
    "model__dropout": 0.0,
    "data__source_pieces": "word",
    "training__steps": 4,
    "training__learning_rate": 0.01,
    "decoding__size": 2,
}


@pytest.fixture(scope="module")
def trained(saccade, short, files):
    out = files[0].with_name("run")
    ended = saccade(
        *("train", "--task=parsing", f"--source={files[0]}", f"--target={files[1]}", f"--out={out}"), *short(**TINY)
    )
    assert ended.returncode == 0, ended.stderr
    return out


@pytest.mark.slow
def test_a_parser_that_has_hardly_learned_anything_writes_only_trees_over_the_given_words(
    saccade, trained, trees, write, tmp_path
):
    words, few = [" ".join(tree.words) for tree in trees[:9]], [str(tree) for tree in trees[:9]]
    paths = write(tmp_path / "w", words), write(tmp_path / "t", few)
    report = json.loads(saccade("evaluate", trained, "--source", paths[0], "--reference", paths[1], "--json").stdout)
    scores = {score["metric"]: score["value"] for score in report["scores"]}
    assert scores["well_formed"] == 100
    assert 0 <= scores["bracket_f1"] < 100
    assert "labelled bracket F1" in (trained / "model" / "card.md").read_text()
    free = load(trained).translate(words, constrained=False)
    assert any(bracket_counts(output, tree).well_formed is False for output, tree in zip(free, few, strict=True))


def test_every_way_of_asking_gives_trees_over_the_words_as_they_stand_in_treebanks(saccade, trained):
    words = "the girl ( a doctor ) slept ."
    expected = ("the", "girl", "-LRB-", "a", "doctor", "-RRB-", "slept", ".")
    lines = saccade("translate", trained, words, "--json", "--nbest=2").stdout.splitlines()
    found = [one["text"] for one in json.loads(lines[0])["nbest"]]
    found += saccade("translate", trained, words, "--sample").stdout.splitlines()
    found.append(load(trained).translate(words))
    assert [Tree.read(text).words for text in found] == [expected] * 4
    assert load(trained).translate("") == ""


def test_a_given_tree_is_scored_by_its_symbols(trained, trees):
    model = load(trained)
    [scored] = model.score([(" ".join(trees[0].words), str(trees[0]))])
    assert scored.tokens == len(trees[0].symbols) + 1
    [found] = model.translate_batch([" ".join(trees[0].words)])
    [again] = model.score([(found.source, found.text)])
    assert again.log_probability == pytest.approx(found.log_probability, abs=1e-4)


def test_trees_alone_give_the_same_data(saccade, short, trained, files, tmp_path):
    ended = saccade(
        *("train", "--task=parsing", f"--source={files[1]}", f"--out={tmp_path}/run"),
        *short(**TINY | {"training__steps": 1}),
    )
    assert ended.returncode == 0, ended.stderr
    for name in ("source.model", "target.model", "valid.source.txt", "valid.target.txt"):
        assert (tmp_path / "run" / "data" / name).read_bytes() == (trained / "data" / name).read_bytes()


def test_words_that_are_not_those_of_the_tree_are_an_error_in_one_line(saccade, files, write, tmp_path):
    words = files[0].read_text().splitlines()
    words[4] = "something else"
    ended = saccade("train", "--task=parsing", f"--source={write(tmp_path / 'w', words)}", f"--target={files[1]}")
    assert ended.returncode == 2
    assert "a.trees:5` must be a tree over the words of its source" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("leaves", ["placeholder", "words"])
@pytest.mark.slow
def test_leaves_may_be_placeholders_or_words(saccade, short, files, tmp_path, leaves):
    ended = saccade(
        *("train", "--task=parsing", f"--source={files[0]}", f"--target={files[1]}", f"--out={tmp_path}/run"),
        *short(**TINY, data__leaves=leaves),
    )
    assert ended.returncode == 0, ended.stderr
    tree = Tree.read(load(tmp_path / "run").translate("the unseen girl slept ."))
    assert (tree.words, set(tree.tags)) == (("the", "unseen", "girl", "slept", "."), {"XX"})
