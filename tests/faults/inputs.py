"""Hostile text for the verbs that read text: no line is lost, none changes another."""

import gzip
import lzma
from random import Random

from tests.faults.materials import SENTENCES
from tests.faults.sandbox import Sandbox
from tests.faults.verdict import Failed, judge, untouched

PIECES = (
    *(
        "a b c",
        "",
        " ",
        "\t",
        "a\tb",
        "é",
        "e\u0301",
        "漢字かな",
        "مرحبا بالعالم",
        "👩‍👩‍👧 🇪🇺",
        "\u202eabc\u202c",
        "a\u2028b",
        "a\x85b",
        "a\x0bb",
    ),
    *(
        "a\u00a0b",
        "\ufeffa",
        "\ufffd",
        "<s>",
        "</s>",
        "<unk>",
        "<pad>",
        "▁a",
        "\x1b[31mred",
        "a\x00b",
        "--output",
        '{"text": "a"}',
        "\ud83d",
    ),
    *("a " * 10_000, "x" * 20_000, "漢" * 3000, "a\rb", "\\n", "&lt;b&gt;", "0" * 400),
)
BYTES = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80", b"\x80abc")
ENDS = (b"\n", b"\r\n", b"\r", b"\n\n")


def text(random: Random) -> bytes:
    """A few lines, most of them harmless."""
    lines = []
    for _ in range(random.choice((0, 1, 3, 8, 40))):
        if random.random() < 0.6:
            lines.append(random.choice(SENTENCES).encode())
        elif random.random() < 0.85:
            lines.append(random.choice(PIECES).encode("utf-8", "surrogatepass"))
        else:
            lines.append(b"a " + random.choice(BYTES) + b" b")
    end = random.choice(ENDS) if random.random() < 0.3 else b"\n"
    content = end.join(lines) + (end if lines and random.random() < 0.8 else b"")
    if random.random() < 0.05:
        content = content.decode("utf-8", "replace").encode("utf-16")
    return content


def _stored(content: bytes, random: Random) -> tuple[str, bytes]:
    """As a plain file or compressed, whole or cut off, under a name that may lie."""
    kind = random.choice(("txt", "txt", "txt", "gz", "xz"))
    packed = {"txt": content, "gz": gzip.compress(content, mtime=0), "xz": lzma.compress(content)}[kind]
    if kind != "txt" and random.random() < 0.3:
        packed = packed[: random.randrange(len(packed))]
    return f"input.{random.choice((kind, kind, kind, 'gz', 'txt', 'tsv', 'jsonl'))}", packed


def run(sandbox: Sandbox, random: Random) -> None:
    """A verb that reads text, given something else."""
    sandbox.bring("model")
    sandbox.bring("recipe.toml")
    content = text(random)
    name, packed = _stored(content, random)
    sandbox.write(name, packed)
    verb = random.choice(("translate", "translate", "translate", "score", "evaluate", "train", "explore"))
    before = sandbox.snapshot()
    if verb == "translate":
        _translate(sandbox, random, name, content if packed == content else None)
    elif verb == "explore":
        sentence = random.choice([piece for piece in PIECES if "\0" not in piece])
        sentence = sentence.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
        judge(sandbox.run("explore", "model", "--sentence", sentence, "--trace", "t.json", interrupt_after=20.0))
    else:
        sandbox.write("other.txt", text(random) if random.random() < 0.5 else content)
        before = sandbox.snapshot()
        second = {"score": "--target", "evaluate": "--reference", "train": "--target"}[verb]
        first = ("train",) if verb == "train" else (verb, "model")
        more = ("--out", "run", "--set", "training.steps=2", "--set", "model.width=16") if verb == "train" else ()
        judge(sandbox.run(*first, "--source", name, second, "other.txt", *more, interrupt_after=20.0))
    untouched(sandbox, before)


def _translate(sandbox: Sandbox, random: Random, name: str, content: bytes | None) -> None:
    options = random.choice(((), ("--truncate",), ("--window", "1"), ("--nbest", "2"), ("--json",)))
    from_file = random.random() < 0.5 or content is None
    arguments = ("translate", "model", *(("--input", name) if from_file else ()), *options)
    outcome = sandbox.run(*arguments, stdin=b"" if from_file else content)
    judge(outcome)
    if outcome.code != 0 or content is None or "--nbest" in options or (from_file and not name.endswith("txt")):
        return
    wanted = content.removeprefix(b"\xef\xbb\xbf")
    lines = wanted.split(b"\n")
    count = len(lines) - (lines[-1] == b"")
    found = outcome.stdout.count(b"\n")
    if found != count:
        raise Failed(f"{count} lines went in and {found} came out")
    if count > 1 and not options:
        _alone(sandbox, random, lines[:count], outcome.stdout.split(b"\n"))


def _alone(sandbox: Sandbox, random: Random, lines: list[bytes], answers: list[bytes]) -> None:
    """A line has the same translation without the others."""
    index = random.randrange(len(lines))
    alone = sandbox.run("translate", "model", stdin=lines[index] + b"\n")
    judge(alone)
    if alone.code == 0 and alone.stdout.rstrip(b"\n") != answers[index]:
        raise Failed(f"line {index + 1} alone gives {alone.stdout[:80]!r}, among others {answers[index][:80]!r}")
