"""Damage to what saccade wrote, and output folders of somebody else, through the real command line.

Each ends as one line of error and exit code 2, and changes nothing.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import refused

from saccade.interop.ctranslate2 import installed


def every_bit(path: Path) -> None:
    """The lowest bit of every id."""
    content = bytearray(path.read_bytes())
    content[::2] = bytes(byte ^ 1 for byte in content[::2])
    path.write_bytes(content)


def one_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 + 1] ^= 64
    path.write_bytes(content)


def a_line_fewer(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def written(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("data/train-0/target.ids", every_bit),
    ("data/train-0/source.ids", one_bit),
    ("data/train-0/source.offsets", one_bit),
    ("data/valid/target.ids", one_bit),
    ("data/valid/header.json", written('{"format": 1}')),
    ("data/prepared.json", written("[]")),
    ("data/report.json", written("{}")),
    ("data/valid.source.txt", a_line_fewer),
    ("data/joint.model", one_bit),
    ("recipe.toml", written("[" * 10_000)),
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_a_damaged_file_of_an_interrupted_run(saccade, training, interrupted, name, damage):
    damage(interrupted / name)
    weights = {path: path.read_bytes() for path in interrupted.rglob("*.safetensors")}
    refused(saccade(*training(interrupted)), Path(name).name)
    assert {path: path.read_bytes() for path in interrupted.rglob("*.safetensors")} == weights


def test_an_edited_score_of_a_finished_run(saccade, training, run):
    content = json.loads((run / "result.json").read_text())
    content["scores"]["valid"] = dict.fromkeys(content["scores"]["valid"], 99.0)
    (run / "result.json").write_text(json.dumps(content))
    refused(saccade(*training(run)), "result.json")


@pytest.mark.parametrize(
    "decoding", ['{"size": "x"}', '{"alpha": NaN}', '{"size": 1000000000000}', '{"beam": 4}', "[]"]
)
def test_wrong_decoding_defaults(saccade, run, decoding):
    config = json.loads((run / "model" / "config.json").read_text())
    (run / "model" / "config.json").write_text(json.dumps(config | {"decoding": json.loads(decoding)}))
    refused(saccade("translate", run, "a b c"), "config.json", "decoding")


PREPARE = ("data", "prepare", Path(__file__).with_name("short.toml"))
OUTPUTS: dict[str, tuple[object, ...]] = {
    "prepare": PREPARE,
    "train": ("train", Path(__file__).with_name("short.toml")),
}
if installed():
    OUTPUTS["export"] = ("export", "MODEL")


@pytest.mark.parametrize("verb", OUTPUTS)
@pytest.mark.parametrize("kind", ["a file", "a named pipe", "a foreign folder", "a link to a file"])
def test_an_output_folder_that_is_somebody_else_s(saccade, finished, tmp_path, verb, kind):
    arguments = [finished if one == "MODEL" else one for one in OUTPUTS[verb]]
    out = tmp_path / "out"
    match kind:
        case "a file":
            out.write_text("mine")
        case "a named pipe":
            os.mkfifo(out)
        case "a foreign folder":
            out.mkdir()
            (out / "config.json").write_text('{"model_type": "bert"}')
        case "a link to a file":
            (tmp_path / "file").write_text("mine")
            out.symlink_to("file")
    before = [(path, path.lstat().st_mode, path.lstat().st_mtime_ns) for path in sorted(tmp_path.rglob("*"))]
    refused(saccade(*arguments, "--out", out), str(out))
    assert [(path, path.lstat().st_mode, path.lstat().st_mtime_ns) for path in sorted(tmp_path.rglob("*"))] == before


def test_a_link_to_a_folder_is_followed(saccade, tmp_path):
    (tmp_path / "out").symlink_to("there")
    done = saccade(*PREPARE, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert os.readlink(tmp_path / "out") == "there"
    assert (tmp_path / "there" / "prepared.json").is_file()


@pytest.mark.skipif(not installed(), reason="ctranslate2 is not installed")
def test_an_export_that_is_refused_leaves_no_folder(saccade, finished, tmp_path):
    refused(saccade("export", finished, "--out", tmp_path / "a" / "b", "--storage", "x"), "--storage")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("written", [b"\xff\xfe", b"[" * 100_000, b'{"schema": "explore-document/1", "traces": 3}'])
def test_a_trace_that_is_none(saccade, tmp_path, written):
    (tmp_path / "trace.json").write_bytes(written)
    refused(saccade("explore", "--open", tmp_path / "trace.json"), "trace.json")


@pytest.mark.parametrize("device", ["meta", "tpu", "cuda:99"])
def test_a_device_that_is_not_here(saccade, finished, device):
    refused(saccade("translate", finished, "a b c", "--device", device), "`device` must be one that is here", device)
