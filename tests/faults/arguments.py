"""Hostile arguments for every verb, from the command line's own definition: a new verb is covered when it appears."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from random import Random
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import typer
from tests.faults.materials import SENTENCES
from tests.faults.sandbox import Sandbox
from tests.faults.verdict import NOT_EXACT, judge, untouched

Values = Callable[[Sandbox, Random], str]

LONG = "x" * 5000
TEXTS = (
    "",
    " ",
    "\t",
    "a b c",
    "é",
    "漢字",
    "مرحبا",
    "👩‍👩‍👧",
    "\u202eabc",
    "-",
    "--",
    "~",
    "a\nb",
    "\x1b[31m",
    LONG,
    "'; rm",
    "..",
)
BYTES = "\udcff\udcfe"
"""Bytes that are not UTF-8, as Python has them in an argument."""
WHOLE = ("0", "1", "2", "5", "-1", "1000000000000", "9223372036854775808", "x", "", "1.5", "nan", "1e3", "٣", LONG)
NUMBERS = ("0", "0.5", "-1", "1e308", "-inf", "inf", "nan", "x", "", "1,5", "1e-320", "0x10")


def _material(*names: str) -> Values:
    return lambda sandbox, random: sandbox.bring(random.choice(names)).name


def _one_of(*values: str) -> Values:
    return lambda _, random: random.choice(values)


def hostile_path(sandbox: Sandbox, random: Random) -> str:
    """Something that is there or is not, and mostly not what is asked for."""
    places = {
        "notes.txt": lambda: sandbox.write("notes.txt", "mine\n"),
        "empty.txt": lambda: sandbox.write("empty.txt", ""),
        "binary.bin": lambda: sandbox.write("binary.bin", random.randbytes(300)),
        "deep.json": lambda: sandbox.write("deep.json", "[" * 100_000),
        "foreign": lambda: sandbox.write("foreign/config.json", '{"model_type": "marian"}'),
        "model": lambda: sandbox.bring("model"),
        "finished": lambda: sandbox.bring("finished"),
        "trace.json": lambda: sandbox.bring("trace.json"),
        "source.txt": lambda: sandbox.bring("source.txt"),
    }
    odd = ("missing", "missing/deeper", "notes.txt/below", ".", "..", "/", "/dev/null", "/dev/stdin", "/proc/self/mem")
    if random.random() < 0.7:
        name = random.choice(sorted(places))
        places[name]()
        return name
    return random.choice([*odd, "", "n" * 300, f"{BYTES}.txt", "a\nb", "~", "漢字/x", "-"])


VALID: dict[str, Values] = {
    "model": _material("model", "finished"),
    "models": _material("model", "finished"),
    "ensemble": _material("model"),
    "runs": _material("finished"),
    "folder": _material("finished"),
    "input": _material("source.txt"),
    "source": _material("source.txt"),
    "target": _material("target.txt"),
    "reference": _material("target.txt"),
    "hypothesis": _material("target.txt"),
    "valid_source": _material("source.txt"),
    "valid_target": _material("target.txt"),
    "test_source": _material("source.txt"),
    "test_target": _material("target.txt"),
    "open_file": _material("trace.json"),
    "recipe": _material("recipe.toml"),
    "text": _one_of(*SENTENCES),
    "sentence": _one_of(*SENTENCES),
    "force": _one_of(*SENTENCES),
    "prefix": _one_of("a", "b c"),
    "name": _one_of("tiny", "toy-reverse", "en-es"),
    "ids": _one_of("A1", "R3", "Z9"),
    "budget": _one_of("2steps", "1s", "100tok"),
    "seeds": _one_of("1"),
    "steps": _one_of("4", "6"),
    "minutes": _one_of("0.01"),
    "parameters": _one_of("5k"),
    "corpus": _one_of("toy-reverse"),
    "device": _one_of("cpu"),
    "set": _one_of("training.steps=3", "model.width=8", "decoding.size=1", "training.seed=2", "data.maximum_length=9"),
    "host": _one_of("127.0.0.1"),
    "port": _one_of("0"),
    "allow_host": _one_of("a.example", "*.example"),
    "allow_origin": _one_of("http://a.example"),
    "explorer": _one_of("http://127.0.0.1:8017/"),
    "seconds": _one_of("5"),
    "file_seconds": _one_of("5"),
    "rate": _one_of("60"),
    "workers": _one_of("1", "2"),
    "ray": _one_of("127.0.0.1:9"),
    "task": _one_of("translation", "pronunciation", "language-modelling", "classification", "parsing"),
    "engine": _one_of("torch", "auto", "ctranslate2"),
    "to": _one_of("ctranslate2", "huggingface", "onnx"),
    "storage": _one_of("float32", "int8"),
    "detail": _one_of("weights", "all"),
}
HOSTILE: dict[str, Values] = {
    "device": _one_of("meta", "cuda", "cuda:1", "tpu", "mps", "cpu:7", ""),
    "set": _one_of(
        *(
            "training.steps",
            "=",
            ".",
            "model.width=-1",
            "training.steps=1e99",
            "x.y=1",
            "model.heads=3",
            "data.source=x",
        ),
        *(
            "training.dropout=1",
            "decoding.size=0",
            "model.architecture=lstm",
            f"model.width={LONG}",
            "model.dropout=nan",
        ),
        *("model.encoder_layers=10000000", "model.width=1073741824", "data.vocabulary=99999999999", "training.seed=-1"),
        *("training.optimizer=none", "training.batch_tokens=1", "decoding.alpha=inf", "data.pieces=", "model.norm=x"),
    ),
    "budget": _one_of("0steps", "-1s", "1e99flop", "x", "", "9999999999999Mtok"),
    "port": _one_of("-1", "65536", "x", "1"),
    "host": _one_of("256.0.0.1", "", "no-such-host.invalid", "::1"),
    "allow_host": _one_of("a*b", "**", "*a", ""),
}
_SECONDS = (0.3, 8.0)
"""A command that would run on, since it serves or trains, is interrupted at a moment between these."""


@dataclass(frozen=True)
class Parameter:
    """An argument or option of a verb, as its function declares it."""

    name: str
    kind: type
    option: str | None
    """What introduces it, --output for instance; None for an argument."""
    required: bool
    several: bool


@dataclass(frozen=True)
class Verb:
    """The words that call it, and its parameters."""

    words: tuple[str, ...]
    parameters: tuple[Parameter, ...]


@cache
def verbs() -> tuple[Verb, ...]:
    """Every verb that the program has."""
    from saccade.cli.main import app

    return tuple(_verbs((), app))


def _verbs(words: tuple[str, ...], group: typer.Typer) -> Iterator[Verb]:
    for command in group.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        yield Verb((*words, name), tuple(_parameters(command.callback)))
    for inner in group.registered_groups:
        assert isinstance(inner.typer_instance, typer.Typer)
        yield from _verbs((*words, str(inner.name)), inner.typer_instance)


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in signature(function).parameters.items():
        kind, about = get_args(hints[name])[:2]
        kind = (
            next((one for one in get_args(kind) if one is not NoneType), kind) if NoneType in get_args(kind) else kind
        )
        several = get_origin(kind) is list
        # In an annotation, typer takes the first name that is given for a default.
        given = [str(one) for one in (about.default, *(about.param_decls or ()))]
        names = [one for one in given if one.startswith("--")] or [f"--{name.replace('_', '-')}"]
        option = names[0] if isinstance(about, typer.models.OptionInfo) else None
        required = parameter.default is parameter.empty
        yield Parameter(name, get_args(kind)[0] if several else kind, option, required, several)


def command_line(verb: Verb, sandbox: Sandbox, random: Random) -> list[str]:
    """A command that is right in most places, so that what is wrong is reached."""
    arguments = list(verb.words)
    hostility = random.choice((0.05, 0.2, 0.5))
    for parameter in verb.parameters:
        if random.random() < (0.03 if parameter.required else 0.65):
            continue
        if parameter.kind is bool:
            arguments.append(str(parameter.option))
            continue
        for _ in range(random.choice((1, 1, 2)) if parameter.several else 1):
            value = _value(parameter, sandbox, random, hostile=random.random() < hostility)
            arguments += [value] if parameter.option is None else [parameter.option, value]
    if random.random() < 0.03:
        arguments.insert(random.randrange(len(arguments) + 1), random.choice(("--no-such", "-x", *TEXTS)))
    return arguments


def _value(parameter: Parameter, sandbox: Sandbox, random: Random, *, hostile: bool) -> str:
    if not hostile and parameter.name in VALID:
        return VALID[parameter.name](sandbox, random)
    if hostile and parameter.name in HOSTILE and random.random() < 0.7:
        return HOSTILE[parameter.name](sandbox, random)
    if parameter.kind is Path:
        return hostile_path(sandbox, random) if hostile else f"new-{random.randrange(9)}"
    if parameter.kind is int:
        return random.choice(WHOLE if hostile else ("1", "2", "4"))
    if parameter.kind is float:
        return random.choice(NUMBERS if hostile else ("0.5", "1.0"))
    return random.choice((*TEXTS, hostile_path(sandbox, random), BYTES)) if hostile else random.choice(SENTENCES)


def run(sandbox: Sandbox, random: Random) -> None:
    """One command with arguments nobody would mean."""
    sandbox.bring("recipe.toml")
    verb = random.choice(verbs())
    arguments = command_line(verb, sandbox, random)
    stdin = random.choice((b"", b"a b c\n", random.randbytes(50), b"\xff\n", b"a\tb\n"))
    before = sandbox.snapshot()
    outcome = sandbox.run(*arguments, stdin=stdin, interrupt_after=random.uniform(*_SECONDS))
    judge(outcome, [NOT_EXACT] if "verify-resume" in verb.words else ())
    untouched(sandbox, before, _told_to_change(sandbox, arguments))


def _told_to_change(sandbox: Sandbox, arguments: list[str]) -> list[Path]:
    """Runs that a command may continue, a model that learns a shortlist, and files it was told to overwrite."""
    named = [sandbox.work / argument for argument in arguments if argument in ("model", "finished", "stopped")]
    if arguments[:1] == ["shortlist"] or "train" in arguments or "compare" in arguments:
        return named
    if "--overwrite" in arguments:
        return [sandbox.work / argument for argument in arguments if argument and not argument.startswith("/")]
    # A trace or a page that saccade wrote may be replaced by another.
    return [sandbox.work / "trace.json"] if "explore" in arguments else []
