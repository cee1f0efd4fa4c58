"""The README, the guide and the course are a promise: what they show is what happens."""

import functools
import itertools
import re
import shlex
from pathlib import Path

import pytest
from tests.command_line import run_in_process

import saccade
from saccade.claims.catalogue import CLAIMS
from saccade.recipes.recipe import list_recipes

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
SERVING = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
BULK = (ROOT / "docs" / "bulk.md").read_text(encoding="utf-8")
COURSE = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "course").glob("*.md")))
GROUPS = ("data", "claims", "bulk")  # of verbs
COMMANDS = [
    shlex.split(line.removeprefix("$ ").split("  #")[0])
    for block in re.findall(r"```sh\n(.*?)```", README + GUIDE + SERVING + BULK + COURSE, re.DOTALL)
    for line in block.splitlines()
    if re.search(r"\bsaccade\b", line)
]


def run(*arguments: str) -> str:
    done = run_in_process(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def help_of(*verb: str) -> str:
    return run(*verb, "--help")


def test_there_are_commands_to_check():
    assert len(COMMANDS) > 20


@pytest.mark.parametrize("command", COMMANDS, ids=shlex.join)
def test_every_verb_and_option_shown_exists(command):
    words = command[command.index("saccade.cli.main" if "saccade.cli.main" in command else "saccade") + 1 :]
    help_text = help_of(*words[: 2 if words[0] in GROUPS else 1])
    for option in (word.split("=")[0] for word in words if word.startswith("--")):
        assert option in help_text
    if words[0] == "train" and not words[1].startswith("-"):
        assert words[1] in list_recipes()
    if words[:2] == ["claims", "run"]:
        assert set(itertools.takewhile(lambda word: not word.startswith("-"), words[2:])) <= set(CLAIMS)


def test_the_translation_shown_is_the_one_made():
    (shown,) = re.findall(r'^\$ (saccade translate en-es ".*)\n(.*)$', README, re.MULTILINE)
    assert run(*shlex.split(shown[0])[1:]) == shown[1] + "\n"


def test_python_gives_what_is_shown():
    (text, expected) = re.findall(r"model\.translate\((\".*\")\) +# ('.*')", README)[0]
    model = saccade.load("en-es", device="cpu")
    assert repr(model.translate(eval(text))) == expected


def test_the_score_shown_is_the_one_on_the_card():
    card = (ROOT / "src/saccade/serving/shipped/en-es/card.md").read_text(encoding="utf-8")
    test_split = card[card.index("On the test split") :]
    score = float(re.findall(r"\| BLEU \| ([\d.]+)", test_split)[0])
    (shown,) = re.findall(r"Tatoeba, English to Spanish \|.*\| ([\d.]+) BLEU \[", README)
    assert float(shown) == round(score, 1)


def test_make_has_the_verbs_shown():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for verb in set(re.findall(r"^make (\w+)", README, re.MULTILINE)) | {"check", "setup"}:
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE)
