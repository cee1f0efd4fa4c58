"""From two text files to a model that makes no mistake, by the commands a person would type."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

TASKS: dict[str, Callable[[list[str]], list[str]]] = {
    "copy": list,
    "reverse": lambda symbols: symbols[::-1],
    "sort": sorted,
}
TRAINING_LINES, TEST_LINES = 4_000, 100


def write_task(folder: Path, answer: Callable[[list[str]], list[str]]) -> None:
    generator = random.Random(11)
    lines: dict[str, str] = {}
    while len(lines) < TRAINING_LINES + TEST_LINES:
        symbols = generator.choices("abcdefgh", k=generator.randint(2, 7))
        lines[" ".join(symbols)] = " ".join(answer(symbols))
    pairs = list(lines.items())
    for name, part in (("train", pairs[TEST_LINES:]), ("test", pairs[:TEST_LINES])):
        (folder / f"{name}.source").write_text("".join(f"{source}\n" for source, _ in part))
        (folder / f"{name}.target").write_text("".join(f"{target}\n" for _, target in part))


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_toy_task_is_learned_without_a_mistake(saccade, task, tmp_path):
    write_task(tmp_path, TASKS[task])
    trained = saccade(
        "train",
        "tiny",
        f"--source={tmp_path}/train.source",
        f"--target={tmp_path}/train.target",
        "--set=training.steps=600",
        "--set=training.validate_every=600",
        "--set=training.batch_tokens=512",
        "--set=training.schedule=linear",
        "--set=training.learning_rate_factor=0.5",
        "--set=model.norm=pre",
        f"--out={tmp_path}/run",
    )
    assert trained.returncode == 0, trained.stderr
    translated = saccade("translate", f"{tmp_path}/run", f"--input={tmp_path}/test.source")
    assert translated.stdout == (tmp_path / "test.target").read_text()
