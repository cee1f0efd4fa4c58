"""What the faults are done to: one of everything that saccade writes, made by its own verbs before the campaign.

finished/       a run that ended          stopped/     the same run, interrupted in the middle
model/          its model folder          prepared/    a corpus as token ids
exported/       for CTranslate2           trace.json   page.html
engines/        the cache of converted    source.txt target.txt   text it was trained for
                models
"""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

from tests.faults.sandbox import Outcome, Sandbox

RECIPE = """\
based_on = "tiny"
summary = "Seconds, for faults."

[model]
encoder_layers = 1
decoder_layers = 1
width = 16
inner_width = 24
heads = 2
dropout = 0.1

[training]
steps = 12
checkpoint_every = 4
keep_checkpoints = 2
validate_every = 6
journal_every = 2
batch_tokens = 256
"""
TRAIN = ("train", "recipe.toml", "--out", "run", "--device", "cpu")
SENTENCES = ("a b c", "d e", "f g h i", "c", "b b a", "h g f e d", "i a", "e e e", "g", "a c e g i")


def make(folder: Path, empty: Path) -> None:
    """Fills `folder`, with commands that run in a sandbox at `empty`."""
    sandbox = Sandbox(empty, folder)
    sandbox.write("recipe.toml", RECIPE)
    sandbox.write("source.txt", "".join(f"{line}\n" for line in SENTENCES))
    sandbox.write("target.txt", "".join(f"{' '.join(reversed(line.split()))}\n" for line in SENTENCES))
    _succeeded(sandbox.run(*TRAIN))
    work = sandbox.work
    shutil.copytree(work / "run", work / "stopped")
    _turn_back(work / "stopped")
    shutil.copytree(work / "run" / "model", work / "model")
    _succeeded(sandbox.run("data", "prepare", "recipe.toml", "--out", "prepared"))
    _succeeded(sandbox.run("export", "model", "--out", "exported"))
    _succeeded(sandbox.run("explore", "model", "--sentence", "a b c", "--trace", "trace.json", "--export", "page.html"))
    if find_spec("ctranslate2"):
        _succeeded(sandbox.run("translate", "model", "a b c", "--engine", "ctranslate2"))
        shutil.move(sandbox.root / "cache" / "engines", folder / "engines")
    (work / "run").rename(work / "finished")
    for path in work.iterdir():
        shutil.move(path, folder / path.name)
    sandbox.remove()


def _turn_back(run: Path) -> None:
    """As the run would be after a kill past its second checkpoint."""
    (run / "result.json").unlink()
    shutil.rmtree(run / "model")
    for report in run.glob("evaluation*"):
        report.unlink()
    *_, last = sorted((run / "checkpoints").glob("step-*"))
    assert json.loads((last / "state.json").read_text())
    shutil.rmtree(last)


def _succeeded(outcome: Outcome) -> None:
    if outcome.code != 0:
        raise SystemExit(f"the materials of the campaign cannot be made: {outcome.arguments}\n{outcome.stderr}")
