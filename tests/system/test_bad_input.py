"""Whatever a user can get wrong, through the real command line: one line of error, exit code 2, nothing lost."""

import json
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.command_line import refused


def files(folder: Path, source: bytes, target: bytes) -> list[str]:
    (folder / "bad.source").write_bytes(source)
    (folder / "bad.target").write_bytes(target)
    return ["train", "--source", str(folder / "bad.source"), "--target", str(folder / "bad.target")]


LINES = b"".join(b"a b c %d\n" % number for number in range(40))


def test_unequal_files(saccade, tmp_path):
    done = saccade(*files(tmp_path, LINES, LINES + b"one more\n"), "--out", tmp_path / "run")
    refused(done, "bad.source", "bad.target", "must have the same number of lines, but have 40 and 41")
    assert not (tmp_path / "run").exists()


def test_empty_file(saccade, tmp_path):
    refused(saccade(*files(tmp_path, b"", b""), "--out", tmp_path / "run"), "bad.source", "is empty")
    assert not (tmp_path / "run").exists()


def test_missing_file(saccade, tmp_path):
    arguments = ["--source", tmp_path / "none.de", "--target", tmp_path / "none.en", "--out", tmp_path / "run"]
    refused(saccade("train", *arguments), "none.de")
    assert not (tmp_path / "run").exists()


def test_folder_in_place_of_a_file(saccade, tmp_path):
    refused(saccade("train", "--source", tmp_path, "--target", tmp_path, "--out", tmp_path / "run"), str(tmp_path))
    assert not (tmp_path / "run").exists()


def test_binary_file(saccade, tmp_path):
    binary = bytes(range(128, 256)) * 9
    refused(saccade(*files(tmp_path, binary, LINES), "--out", tmp_path / "run"), "bad.source:1", "UTF-8")
    assert not (tmp_path / "run").exists()


def test_nul_bytes(saccade, tmp_path):
    broken = LINES.replace(b"a b c 7\n", b"a b \0 7\n")
    refused(saccade(*files(tmp_path, broken, LINES), "--out", tmp_path / "run"), "bad.source:8", "NUL")
    assert not (tmp_path / "run").exists()


def test_nul_bytes_to_translate(saccade, finished, tmp_path):
    (tmp_path / "nul").write_bytes(b"a b c\na \0 c\n")
    refused(saccade("translate", finished, tmp_path / "nul"), "nul:2", "NUL")


def test_a_line_of_ten_thousand_words_is_left_out_of_training_and_counted(saccade, training, tmp_path):
    sources = LINES.splitlines(keepends=True)
    sources[7] = b"word " * 10_000 + b"\n"
    (tmp_path / "s").write_bytes(b"".join(sources))
    (tmp_path / "t").write_bytes(LINES)
    out = tmp_path / "run"
    done = saccade(*training(out, data__valid_lines=2), "--source", tmp_path / "s", "--target", tmp_path / "t")
    assert done.returncode == 0, done.stderr
    assert "40 pairs read" in done.stderr
    assert f"{tmp_path / 's'}:8" in done.stderr


def test_a_line_of_ten_thousand_words_to_translate(saccade, finished, tmp_path):
    (tmp_path / "long").write_text("a b c\n" + "a " * 10_000 + "\nd e f\n")
    whole = saccade("translate", finished, tmp_path / "long")
    assert (whole.returncode, whole.stdout.count("\n"), whole.stderr) == (0, 3, "")
    done = saccade("translate", finished, tmp_path / "long", "--no-split")
    refused(done, "line 2 must have a source of at most 63 tokens", "10000", "--truncate")
    assert done.stdout.count("\n") == 1  # what came before is not lost
    cut = saccade("translate", finished, tmp_path / "long", "--truncate")
    assert (cut.returncode, cut.stdout.count("\n")) == (0, 3)


def test_a_source_longer_than_the_limit_of_the_model(saccade, finished):
    assert saccade("translate", finished, "a " * 63).returncode == 0
    assert saccade("translate", finished, "a " * 64).returncode == 0
    refused(saccade("translate", finished, "a " * 64, "--no-split"), "line 1", "at most 63 tokens", "but has 64")


def test_unknown_scripts_are_read_as_bytes(saccade, finished, tmp_path):
    (tmp_path / "scripts").write_text("🙂 👩‍👩‍👧\n中文 字\nالعربية\ne\u0301 a\u0323\u0302\n")
    done = saccade("translate", finished, tmp_path / "scripts", "--alignment")
    assert (done.returncode, done.stdout.count("\n")) == (0, 4), done.stderr


def checkpoint_file(run: Path, name: str) -> Path:
    return max((run / "checkpoints").glob("step-*")) / name


@pytest.mark.parametrize("name", ["weights.safetensors", "optimizer.safetensors"])
def test_truncated_checkpoint(saccade, training, interrupted, name):
    path = checkpoint_file(interrupted, name)
    path.write_bytes(path.read_bytes()[:-9])
    refused(saccade(*training(interrupted)), name)


def test_tampered_checkpoint(saccade, training, interrupted):
    path = checkpoint_file(interrupted, "weights.safetensors")
    content = bytearray(path.read_bytes())
    content[-9] ^= 4
    path.write_bytes(content)
    refused(saccade(*training(interrupted)), "weights.safetensors")


def test_tampered_model(saccade, run):
    path = run / "model" / "weights.safetensors"
    content = bytearray(path.read_bytes())
    content[-9] ^= 4
    path.write_bytes(content)
    refused(saccade("translate", run, "a b c"), "weights.safetensors is damaged or altered")


def test_a_model_folder_of_a_newer_format(saccade, run):
    path = run / "model" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    newer = "must have a format up to 1, but has 2: it is newer than this saccade. Upgrade saccade."
    refused(saccade("translate", run, "a b c"), newer)


@pytest.mark.slow
def test_a_full_disk_while_checkpointing(saccade, saccade_process, training, interrupted, finished):
    def small_disk() -> None:
        """No file may outgrow 20 kB: the checkpoint cannot be written, the journal can."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    before = {path.name for path in (interrupted / "checkpoints").iterdir()}
    refused(saccade_process(*training(interrupted), preexec_fn=small_disk), "step 10")
    assert {path.name for path in (interrupted / "checkpoints").iterdir()} == before
    assert saccade(*training(interrupted)).returncode == 0
    weights = [(folder / "model" / "weights.safetensors").read_bytes() for folder in (interrupted, finished)]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_two_trainings_in_one_folder(saccade, program, training, environment, tmp_path):
    out = tmp_path / "run"
    command = [*program, *training(out, training__steps=1_000_000)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment) as first:
        try:
            deadline = time.monotonic() + 120
            while not (out / "journal.jsonl").exists():
                assert first.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
            refused(saccade(*training(out, training__steps=1_000_000)), str(out), str(first.pid))
        finally:
            first.send_signal(signal.SIGINT)
        assert first.wait(timeout=120) == 130
    assert list((out / "checkpoints").glob("step-*"))


def test_continuing_with_another_recipe(saccade, training, interrupted):
    refused(saccade(*training(interrupted, model__width=48)), "model.width", "32", "48")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("training.steps=many", "`training.steps` must be a whole number, but is 'many'"),
        ("training.stepz=5", "Did you mean 'training.steps'?"),
        ("model.dropout=2.0", "`dropout` must be"),
        ("model.architecture=transfomer", "Did you mean 'transformer'?"),
        ("data.corpus=toy-reverze", "Did you mean 'toy-reverse'?"),
        ("training.dropout=0.1", "Did you mean 'model.dropout'?"),
        ("training.momentum=0.9", "must be left out with adam, since only sgd, nesterov and muon use it"),
        ("data.maximum_length=4096", "`data.maximum_length` must be at most `model.maximum_length`"),
    ],
)
def test_a_recipe_with_a_wrong_value(saccade, tmp_path, override, message):
    refused(saccade("train", "tiny", "--out", tmp_path / "run", "--set", override), message)
    assert list(tmp_path.iterdir()) == []


def test_a_recipe_file_with_a_wrong_type(saccade, tmp_path):
    (tmp_path / "mine.toml").write_text('based_on = "tiny"\n[training]\nsteps = "twenty"\n')
    refused(saccade("train", tmp_path / "mine.toml", "--out", tmp_path / "run"), "`training.steps`", "'twenty'")


def test_a_recipe_file_that_is_no_toml(saccade, tmp_path):
    (tmp_path / "mine.toml").write_text("steps = = 3\n")
    refused(saccade("train", tmp_path / "mine.toml", "--out", tmp_path / "run"), "mine.toml")


def test_an_unknown_recipe(saccade, tmp_path):
    refused(saccade("train", "multi30", "--out", tmp_path / "run"), "Did you mean 'multi30k'?")


def test_an_unknown_corpus_to_fetch(saccade):
    refused(saccade("data", "fetch", "tatoeba-en-se"), "Did you mean 'tatoeba-en-es'?")


def test_a_replay_of_nothing(saccade, tmp_path):
    refused(saccade("replay", tmp_path / "none"), "replay folder")
    (tmp_path / "empty").mkdir()
    refused(saccade("replay", tmp_path / "empty"), "empty")


def test_neither_recipe_nor_files(saccade, tmp_path):
    refused(saccade("train", "--out", tmp_path / "run"), "`recipe` must be given")


def test_an_unknown_device(saccade, finished, tmp_path):
    refused(saccade("translate", finished, "a", "--device", "abacus"), "`device` must be")
    refused(saccade("train", "tiny", "--out", tmp_path / "run", "--device", "cuda:7"), "`device` must be")
