"""Output paths that are something else already, or cannot be written: nothing of the user is replaced."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.faults.sandbox import LARGEST_FILE, Sandbox
from tests.faults.verdict import Failed, judge, untouched

VERBS: dict[str, tuple[str, ...]] = {
    "translate": ("translate", "model", "--input", "source.txt", "--output"),
    "bulk": ("bulk", "translate", "model", "source.txt", "--output"),
    "evaluate": ("evaluate", "model", "--source", "source.txt", "--reference", "target.txt", "--output"),
    "trace": ("explore", "model", "--sentence", "a b", "--trace"),
    "page": ("explore", "model", "--sentence", "a b", "--export"),
    "export": ("export", "model", "--out"),
    "huggingface": ("export", "model", "--to", "huggingface", "--out"),
    "prepare": ("data", "prepare", "recipe.toml", "--out"),
    "train": ("train", "recipe.toml", "--device", "cpu", "--out"),
    "compare": (
        "compare",
        "--recipe",
        "recipe.toml",
        "--models",
        "transformer",
        "--seeds",
        "1",
        "--budget",
        "2steps",
        "--out",
    ),
    "claims": ("claims", "run", "A1", "--out"),
}


def _user_file(sandbox: Sandbox) -> Path:
    return sandbox.write("thesis.txt", "five years of work\n")


def _foreign_folder(sandbox: Sandbox) -> Path:
    sandbox.write("foreign/config.json", '{"model_type": "marian"}')
    sandbox.write("foreign/model/weights.bin", "theirs")
    sandbox.write("foreign/data/train.csv", "a,b\n")
    return sandbox.work / "foreign"


def _fifo(sandbox: Sandbox) -> Path:
    os.mkfifo(sandbox.work / "pipe", 0o666)
    return sandbox.work / "pipe"


def _device(sandbox: Sandbox) -> Path:
    path = sandbox.work / "device"
    if os.getuid() == 0:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # a null device of our own
        os.chmod(path, 0o666)
        return path
    return Path("/dev/null")


def _socket(sandbox: Sandbox) -> Path:
    here = os.getcwd()
    os.chdir(sandbox.work)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
    os.chdir(here)
    return sandbox.work / "socket"


def _link(sandbox: Sandbox, target: str) -> Path:
    path = sandbox.work / "link"
    path.symlink_to(target)
    return path


def _read_only(sandbox: Sandbox) -> Path:
    sandbox.write("locked/inside.txt", "x")
    os.chmod(sandbox.work / "locked", 0o555)
    return sandbox.work / "locked" / "new"


PLACES: dict[str, Callable[[Sandbox], Path]] = {
    "a user's file": _user_file,
    "a folder of another program": _foreign_folder,
    "a FIFO": _fifo,
    "a device": _device,
    "a socket": _socket,
    "a link to itself": lambda sandbox: _link(sandbox, "link"),
    "a link to a user's file": lambda sandbox: _link(sandbox, _user_file(sandbox).name),
    "a link to a user's folder": lambda sandbox: _link(sandbox, "../other"),
    "a link to nothing": lambda sandbox: _link(sandbox, "nothing/there"),
    "a folder that cannot be written": _read_only,
    "below a file": lambda sandbox: _user_file(sandbox) / "below",
    "a name that is too long": lambda sandbox: sandbox.work / ("n" * 300),
    "the current folder": lambda sandbox: sandbox.work,
    "the folder above": lambda sandbox: sandbox.around,
    "the model": lambda sandbox: sandbox.work / "model",
    "the model's weights": lambda sandbox: sandbox.work / "model" / "weights.safetensors",
    "the input": lambda sandbox: sandbox.work / "source.txt",
    "a new folder in a new folder": lambda sandbox: sandbox.work / "new" / "newer",
    "a new name": lambda sandbox: sandbox.work / "new",
}


def run(sandbox: Sandbox, random: Random) -> None:
    """A verb that writes, told to write there."""
    for name in ("model", "source.txt", "target.txt", "recipe.toml"):
        sandbox.bring(name)
    place = random.choice(sorted(PLACES))
    path = PLACES[place](sandbox)
    verb = random.choice(sorted(VERBS))
    full = random.random() < 0.2
    before = sandbox.snapshot()
    outcome = sandbox.run(
        *VERBS[verb], path, interrupt_after=20.0, largest_file=random.randrange(4000, 30_000) if full else LARGEST_FILE
    )
    try:
        judge(outcome)
        untouched(sandbox, before, _may_change(sandbox, verb, place))
        if outcome.code == 2 and not full:
            _nothing_new(sandbox, before)
    except Failed as failure:
        raise Failed(f"{verb} into {place}{' with a full disk' if full else ''}: {failure}") from None


def _may_change(sandbox: Sandbox, verb: str, place: str) -> list[Path]:
    return [sandbox.work / "model"] if verb == "train" and place == "the model" else []


def _nothing_new(sandbox: Sandbox, before: dict[str, tuple[object, ...]]) -> None:
    """What is refused leaves nothing behind, not even an empty folder."""
    new = sorted(set(sandbox.snapshot()) - set(before))
    # A translation that was under way is kept, and says so.
    new = [name for name in new if ".part" not in name]
    if new:
        raise Failed(f"refused, but left {', '.join(new[:5])}")
