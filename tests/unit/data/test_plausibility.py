import random
from pathlib import Path

import pytest

from saccade.data.config import DataConfig
from saccade.data.plausibility import doubts_about

ENGLISH = ["the", "dog", "runs", "a", "man", "reads", "old", "green", "house", "and"]
GERMAN = ["der", "Hund", "rennt", "ein", "Mann", "liest", "alt", "grün", "Haus", "und"]


def sides(lines: int, seed: int = 7) -> tuple[list[str], list[str]]:
    """Sentences of different lengths and their translations, word by word."""
    draw = random.Random(seed)
    chosen = [[draw.randrange(len(ENGLISH)) for _ in range(draw.randint(1, 12))] for _ in range(lines)]
    return tuple([" ".join(words[one] for one in line) for line in chosen] for words in (ENGLISH, GERMAN))


def data(folder: Path, source: list[str], target: list[str], **more: object) -> DataConfig:
    for name, lines in (("train.en", source), ("train.de", target)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return DataConfig(source=str(folder / "train.en"), target=str(folder / "train.de"), **more)


def test_translations_raise_no_doubt(tmp_path):
    assert doubts_about(data(tmp_path, *sides(100), source_language="en", target_language="de")) == []


def test_targets_equal_to_their_sources_are_noticed(tmp_path):
    english, german = sides(100)
    (doubt,) = doubts_about(data(tmp_path, english, english[:60] + german[60:]))
    assert doubt.startswith("60 of the first 100 targets are the same as their sources")
    assert doubts_about(data(tmp_path, english, english[:40] + german[40:])) == []


def test_sides_that_do_not_belong_together_are_noticed(tmp_path):
    english, german = sides(400)
    random.Random(3).shuffle(german)
    (doubt,) = doubts_about(data(tmp_path, english, german))
    assert "Check that line n of one file belongs to line n of the other" in doubt


@pytest.mark.parametrize("split", ["valid", "test"])
def test_swapped_sides_of_another_split_are_noticed(tmp_path, split):
    english, german = sides(30, seed=8)
    names = [tmp_path / f"{split}.{language}" for language in ("en", "de")]
    for path, lines in zip(names, (english, german), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    right, wrong = (
        data(tmp_path, *sides(100), **{f"{split}_source": str(source), f"{split}_target": str(target)})
        for source, target in (names, names[::-1])
    )
    assert doubts_about(right) == []
    assert doubts_about(wrong) == [f"the {split} files look as if source and target were swapped. Check their order."]


def test_names_of_files_that_contradict_the_languages_are_noticed(tmp_path):
    (doubt,) = doubts_about(data(tmp_path, *sides(100), source_language="de", target_language="en"))
    assert "the files are called train.en and train.de" in doubt


@pytest.mark.parametrize("lines", [1, 2, 19])
def test_nothing_is_evident_from_a_few_lines(tmp_path, lines):
    assert doubts_about(data(tmp_path, ["one"] * lines, ["one"] * lines)) == []


def test_text_that_is_gone_is_not_doubted():
    assert doubts_about(DataConfig(source="gone.en", target="gone.de")) == []


def test_labels_and_text_alone_are_not_doubted(tmp_path):
    same = data(tmp_path, ["one"] * 40, ["one"] * 40)
    assert doubts_about(DataConfig(source=same.source, target=same.target, task="classification")) == []
    assert doubts_about(DataConfig(source=same.source, task="language-modelling")) == []
