"""Damage to every file that saccade writes: it is named in one line, or it makes no difference."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.faults.sandbox import Outcome, Sandbox
from tests.faults.verdict import Failed, judge

from saccade.json_files import sealed

HOSTILE: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e300, 10**30, "", "x", "../../x", [], {}, [[]], {"a": 1}, "x" * 5000, float("nan")),
    *(float("inf"), "\x00", "2**40", 2**31, 2**63, [1, 2, 3], "😀"),
)


@dataclass(frozen=True)
class Victim:
    """Something of ours, the command that reads it, and what of its doing must not change in silence."""

    material: str
    command: tuple[str, ...]
    result: Callable[[Sandbox, Outcome], object]
    also: tuple[str, ...] = ()
    meant_to_be_edited: tuple[str, ...] = ()
    """Files, or `FILE:key`, that a user may edit: another output is then what was asked for."""


def _printed(_: Sandbox, outcome: Outcome) -> object:
    return outcome.stdout


def _scores(_: Sandbox, outcome: Outcome) -> object:
    """All but the first line, which tells a run finished before from one that had to be scored again."""
    return outcome.stdout.partition(b"\n")[2]


def weights_of(sandbox: Sandbox, _: Outcome | None = None) -> object:
    """What a run has made."""
    run = sandbox.work / "run"
    return [digest(run / name) for name in ("model/weights.safetensors", "result.json")]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"


def _stores(sandbox: Sandbox, _: Outcome) -> object:
    return sorted((path.name, digest(path)) for path in (sandbox.work / "prepared").rglob("*.ids"))


EDITABLE = ("config.json:decoding", "recipe.toml", "README.md", "journal.jsonl", "lock")
VICTIMS = (
    Victim("model", ("translate", "model", "a b c", "d e"), _printed, meant_to_be_edited=EDITABLE),
    Victim(
        "model", ("translate", "model", "a b c", "d e", "--json", "--alignment"), _printed, meant_to_be_edited=EDITABLE
    ),
    Victim(
        "model",
        ("score", "model", "--source", "source.txt", "--target", "target.txt"),
        _printed,
        ("source.txt", "target.txt"),
        EDITABLE,
    ),
    Victim("model", ("export", "model", "--out", "new"), lambda *_: None, meant_to_be_edited=EDITABLE),
    Victim(
        "model",
        ("export", "model", "--to", "huggingface", "--out", "new"),
        lambda *_: None,
        meant_to_be_edited=EDITABLE,
    ),
    Victim("finished", ("translate", "finished", "a b c"), _printed, meant_to_be_edited=EDITABLE),
    Victim("finished", ("train", "--out", "finished", "--device", "cpu"), _scores, meant_to_be_edited=EDITABLE),
    Victim("stopped", ("train", "--out", "run", "--device", "cpu"), weights_of, meant_to_be_edited=EDITABLE),
    Victim("stopped", ("train", "--out", "run", "--device", "cpu"), weights_of, meant_to_be_edited=EDITABLE),
    Victim(
        "stopped", ("train", "recipe.toml", "--out", "run", "--device", "cpu"), weights_of, ("recipe.toml",), EDITABLE
    ),
    Victim("prepared", ("data", "prepare", "recipe.toml", "--out", "prepared"), _stores, ("recipe.toml",), EDITABLE),
    Victim("trace.json", ("explore", "--open", "trace.json", "--export", "new.html"), lambda *_: None),
    Victim(
        "engines", ("translate", "model", "a b c", "d e", "--engine", "ctranslate2"), _printed, ("model",), EDITABLE
    ),
    Victim("finished", ("compare", "finished", "--out", "new"), lambda *_: None, meant_to_be_edited=EDITABLE),
)


def run(sandbox: Sandbox, random: Random) -> None:
    """One file damaged, then the command that reads it."""
    victim = random.choice([one for one in VICTIMS if (sandbox.materials / one.material).exists()])
    expected = _undamaged(sandbox.materials, victim)
    folder = _bring(sandbox, victim)
    path, how = _damage(folder, random)
    forged = how.startswith("forged")
    outcome = sandbox.run(*victim.command, interrupt_after=30.0)
    name = path.relative_to(folder) if path != folder else Path(path.name)
    try:
        judge(outcome)
        if (
            outcome.code == 0
            and not (forged or _meant_to_be_edited(victim, path))
            and victim.result(sandbox, outcome) != expected
        ):
            raise Failed("the output changed in silence")
    except Failed as failure:
        raise Failed(f"{victim.material}/{name} {how}: {failure}") from None


def _bring(sandbox: Sandbox, victim: Victim) -> Path:
    for name in victim.also:
        sandbox.bring(name)
    if victim.material == "engines":
        shutil.copytree(sandbox.materials / "engines", sandbox.root / "cache" / "engines", dirs_exist_ok=True)
        for folder, names, files in os.walk(sandbox.root / "cache"):
            for each in (".", *names, *files):
                if os.getuid() == 0:
                    os.chown(os.path.join(folder, each), 65534, 65534)
        return sandbox.root / "cache" / "engines"
    return sandbox.bring(victim.material, "run" if victim.material == "stopped" else None)


@cache
def _undamaged(materials: Path, victim: Victim) -> object:
    """What the command does when nothing is damaged: computed once in each process."""
    root = materials.parent / f"undamaged-{os.getpid()}-{VICTIMS.index(victim)}"
    sandbox = Sandbox(root, materials)
    _bring(sandbox, victim)
    outcome = sandbox.run(*victim.command)
    judge(outcome)
    if outcome.code != 0:
        raise Failed(f"undamaged, {victim.command} ends with {outcome.code}: {outcome.last_line}")
    result = victim.result(sandbox, outcome)
    sandbox.remove()
    return result


def _meant_to_be_edited(victim: Victim, path: Path) -> bool:
    """Whether a user may edit this file, or the part of it that its seal leaves out."""
    return any(one.partition(":")[0] == path.name for one in victim.meant_to_be_edited)


def _damage(folder: Path, random: Random) -> tuple[Path, str]:
    files = sorted(path for path in ([folder] if folder.is_file() else folder.rglob("*")) if path.is_file())
    path = random.choice(files)
    ways = [_flip, _flip, _cut, _empty, _remove, _append, _noise, _swap, _folder, _loop]
    if path.suffix in (".json", ".jsonl"):
        ways = [*ways, _value, _value, _value, _value, _key, _nested]
    if path.suffix == ".json" and b'"seal"' in path.read_bytes():
        ways = [*ways, _forge, _forge, _forge]
    if path.suffix == ".toml":
        ways = [*ways, _line, _line]
    way = random.choice(ways)
    return path, way(path, random, files)


def _flip(path: Path, random: Random, _: list[Path]) -> str:
    content = bytearray(path.read_bytes())
    if not content:
        return "unharmed"
    count = random.choice((1, 1, 8, len(content)))
    for _ in range(count):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.write_bytes(content)
    return f"with {count} bits flipped"


def _cut(path: Path, random: Random, _: list[Path]) -> str:
    size = path.stat().st_size
    os.truncate(path, random.randrange(size + 1))
    return "cut off"


def _empty(path: Path, *_: object) -> str:
    path.write_bytes(b"")
    return "emptied"


def _remove(path: Path, *_: object) -> str:
    path.unlink()
    return "removed"


def _append(path: Path, random: Random, _: list[Path]) -> str:
    with path.open("ab") as file:
        file.write(random.randbytes(random.randrange(1, 100)))
    return "with bytes appended"


def _noise(path: Path, random: Random, _: list[Path]) -> str:
    path.write_bytes(random.randbytes(path.stat().st_size))
    return "replaced by noise"


def _swap(path: Path, random: Random, files: list[Path]) -> str:
    other = random.choice(files)
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    if other != path:
        other.write_bytes(one)
    return f"exchanged with {other.name}"


def _folder(path: Path, *_: object) -> str:
    path.unlink()
    path.mkdir()
    return "turned into a folder"


def _loop(path: Path, *_: object) -> str:
    path.unlink()
    path.symlink_to(path.name)
    return "turned into a link to itself"


def _line(path: Path, random: Random, _: list[Path]) -> str:
    lines = path.read_text().splitlines()
    index = random.randrange(len(lines))
    key = lines[index].partition("=")[0]
    lines[index] = random.choice(("", "x", f"{key}= []", f"{key}= -1", f"{key}= nan", f"{key}= 99999999999999999999"))
    path.write_text("\n".join(lines))
    return f"with line {index + 1} replaced by {lines[index]!r}"


def _value(path: Path, random: Random, _: list[Path]) -> str:
    """Another value for one key, wherever it is."""
    documents = _documents(path)
    holders = [holder for document in documents for holder in _holders(document)]
    if not holders:
        return "unharmed"
    holder = random.choice(holders)
    key = random.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    holder[key] = random.choice(HOSTILE)
    _rewrite(path, documents)
    return f"with {key!r} set to {str(holder[key])[:30]!r}"


def _key(path: Path, random: Random, _: list[Path]) -> str:
    documents = _documents(path)
    holders = [one for document in documents for one in _holders(document) if isinstance(one, dict)]
    if not holders:
        return "unharmed"
    holder = random.choice(holders)
    key = random.choice(list(holder))
    value = holder.pop(key)
    if random.random() < 0.5:
        holder[f"{key}x"] = value
    _rewrite(path, documents)
    return f"without {key!r}"


def _forge(path: Path, random: Random, files: list[Path]) -> str:
    """Another value, and a seal that fits: what a hostile folder would hold."""
    how = random.choice((_value, _key))(path, random, files)
    content = json.loads(path.read_text())
    if isinstance(content, dict):
        for unsealed in ((), ("decoding",)):
            path.write_text(json.dumps(sealed(content, unsealed)))
            if "decoding" not in content:
                break
    return f"forged {how}"


def _nested(path: Path, *_: object) -> str:
    path.write_text("[" * 100_000)
    return "nested deeply"


def _documents(path: Path) -> list[Any]:
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]


def _holders(document: Any) -> list[Any]:
    """Every object and every list that is not empty."""
    if not isinstance(document, dict | list):
        return []
    inner = document.values() if isinstance(document, dict) else document
    own = [document] if document else []
    return own + [holder for value in list(inner)[:50] for holder in _holders(value)]


def _rewrite(path: Path, documents: list[Any]) -> None:
    path.write_text("\n".join(json.dumps(one) for one in documents))
