"""A sentence on its way through a model, as one document: `explore-trace/1`.

Row t of a decoder's block is the query made from what was read at t, and predicts token t of the target. Weights are
those before dropout, of a model that does not train. Everything comes out of one pass forced through the target that
a search found, or that was given; `checks` says how far what is written here agrees with itself, and with decoding
step by step.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

import saccade
from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError, InputError
from saccade.explorer.axes import axis, unknown_characters
from saccade.explorer.beam import Searched, search, to_json
from saccade.explorer.blocks import blocks_and_layers, identities
from saccade.explorer.description import counts, describe, tied
from saccade.explorer.encoder_output import handover
from saccade.explorer.influence import best_head, influence
from saccade.explorer.invariants import checks
from saccade.explorer.outputs import final, steps
from saccade.explorer.passes import Part, Passes, device_of, run
from saccade.explorer.recurrent_states import convolutions, recurrent
from saccade.explorer.schema import SCHEMA
from saccade.explorer.shuffle import shuffled
from saccade.explorer.tensors import Shelf
from saccade.explorer.what_if import WhatIf, changed, order
from saccade.sequences import BOS, EOS, Sequences
from saccade.serving.bundle import Bundle
from saccade.serving.translator import Translator

LONGEST = 256
"""Tokens of either side: more would be neither readable nor quick."""
DETAILS = (
    *("weights", "beam", "embedding", "final", "memory", "positions", "recurrent", "influence", "shuffle"),
    *("parameters", "all"),
)
POSITIONS = 64
"""Rows of the table of positions that a trace shows."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to trace.

    Attributes:
        size: how many hypotheses the search keeps; None is what the model was saved with.
        alpha: how much the search forgives length; None is what the model was saved with.
        force: a target to trace instead of searching for one.
        prefix: how the target must begin.
        what_if: what to change about the model; the search, too, is done with the changed one.
        detail: which tensors to include. Weights and masks always are; "block:ID" adds all of one block or layer,
            "embedding", "final", "memory" and the like those parts, "parameters" all matrices, and "all" everything
            but the matrices. "influence" and "shuffle" take passes of their own, and are left out unless asked for.
    """

    size: int | None = None
    alpha: float | None = None
    force: str | None = None
    prefix: str | None = None
    what_if: WhatIf | None = None
    detail: tuple[str, ...] = ("weights",)

    def __post_init__(self) -> None:
        for detail in self.detail:
            if detail not in DETAILS and not detail.startswith("block:"):
                raise ConfigError(f"`detail` must be some of {', '.join(DETAILS)} or block:ID, but has {detail!r}.")

    def asks(self, *details: str) -> bool:
        """Whether one of these is asked for, or everything is."""
        return not {"all", *details}.isdisjoint(self.detail)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Options":
        """From what a page asks: decode {size, alpha}, force, prefix, what_if and detail, whichever it names."""
        decode = _of_kind(given, "decode", dict, "an object") or {}
        what_if = _of_kind(given, "what_if", dict, "an object")
        alpha = _of_kind(decode, "alpha", (int, float), "a number")
        detail = _of_kind(given, "detail", list, "a list of texts") or ["weights"]
        return cls(
            size=_of_kind(decode, "size", int, "a whole number"),
            alpha=None if alpha is None else float(alpha),
            force=_of_kind(given, "force", str, "a text"),
            prefix=_of_kind(given, "prefix", str, "a text"),
            what_if=None if what_if is None else WhatIf.from_json(what_if),
            detail=tuple(str(each) for each in detail),
        )

    def to_json(self) -> dict[str, Any]:
        """As a page asks."""
        return {
            "decode": {"size": self.size, "alpha": self.alpha},
            "force": self.force,
            "prefix": self.prefix,
            "what_if": None if self.what_if is None else self.what_if.to_json(),
            "detail": list(self.detail),
        }


def trace(model: Translator | Bundle, text: str, options: Options | None = None, name: str = "model") -> dict[str, Any]:
    """The document of one sentence through one model."""
    options = options or Options()
    bundle = _bundle(model)
    bundle.model.eval()
    text = bundle.source_tokenizer.normalise(text)
    if not find_task(bundle.task).has_sources:  # a language model goes on where the text ends
        options, text = replace(options, prefix=f"{options.prefix or ''} {text}".strip() or None), ""
    source = _source(bundle, text)
    trained, what_if = bundle, options.what_if
    if what_if is not None:
        bundle = replace(bundle, model=changed(trained.model, what_if, source))
    searched, target = _target(trained, bundle, source, options)
    passes = run(bundle.model, source, target)
    shelf = Shelf()
    reads = [BOS, *target[:-1]]
    axes = {
        "source": axis(bundle.source_tokenizer, source, text),
        "target": axis(bundle.target_tokenizer, target),
        "reads": axis(bundle.target_tokenizer, reads),
    }
    ids = identities(passes, len(source))
    blocks, layers = blocks_and_layers(passes, ids, axes, shelf)
    said = steps(passes, target, bundle.target_tokenizer)
    asked = options.asks("influence") and find_task(bundle.task).has_sources
    measured = influence(bundle.model, source, target, axes, shelf) if asked else None
    best = best_head(blocks, axes, shelf) if asked else None
    document = {
        "schema": SCHEMA,
        "id": _identity(bundle, text, options),
        "tool": _tool(passes),
        "model": describe(bundle, name, _family(passes)),
        "options": options.to_json(),
        "source_text": text,
        "unknown": unknown_characters(bundle.source_tokenizer, text or options.prefix or ""),
        "axes": axes,
        "output": _output(bundle.target_tokenizer.decode(target), searched, said),
        "steps": said,
        "blocks": blocks,
        "layers": layers,
        "embedding": {
            "source": _embedding(passes.encoder, "embedding.source", shelf),
            "target": _embedding(passes.decoder, "embedding.target", shelf),
        },
        "final": final(bundle.model, passes, shelf),
        "alignment": _alignment(bundle, passes, target, ids, shelf, best),
        "memory": _memory(bundle, passes, source, shelf),
        "recurrent": recurrent(passes, shelf),
        "conv": convolutions(passes),
        "beam": None if searched is None else to_json(searched, bundle.target_tokenizer),
        "influence": measured,
        "shuffle": shuffled(bundle.model, source) if options.asks("shuffle", "positions") else None,
        "positions_table": _positions(passes, bundle, shelf),
        "counts": counts(bundle.model),
        "tied": tied(bundle.model),
        "what_if": None if what_if is None else what_if.to_json() | _dealt(what_if, len(source)),
        "base_id": None if what_if is None else _identity(bundle, text, replace(options, what_if=None)),
        "tensors": shelf.asked(options.detail),
    }
    comparable = what_if is None or not what_if.looks_ahead
    document["checks"] = checks(document, shelf.arrays, passes if comparable else None, ids)
    return document


def _of_kind(given: Mapping[str, Any], key: str, kinds: type | tuple[type, ...], what: str) -> Any:
    """The value of this key, if there is one and it is what it must be."""
    value = given.get(key)
    if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
        raise ConfigError(f"`{key}` must be {what}, but is {json.dumps(value, default=str)[:40]}. Leave it out.")
    return value


def _dealt(what_if: WhatIf, length: int) -> dict[str, Any]:
    return {"order": order(what_if, length)} if what_if.name == "shuffled-positions" else {}


def _bundle(model: Translator | Bundle) -> Bundle:
    if isinstance(model, Bundle):
        return model
    if model.model is not model.bundle.model:
        raise ConfigError("a trace must be of one model, but this is an ensemble of several. Load one of them.")
    return model.bundle


def _source(bundle: Bundle, text: str) -> list[int]:
    """The tokens the encoder reads, EOS last; nothing but that where there is no source."""
    if not find_task(bundle.task).has_sources:
        return [EOS]
    tokens = bundle.source_tokenizer.encode([text])[0]
    if not tokens:
        raise InputError("`text` must hold at least one word, but is empty. Type a sentence.")
    return _fitting([*tokens, EOS], bundle, "`text`")


def _fitting(tokens: list[int], bundle: Bundle, what: str) -> list[int]:
    limit = min(LONGEST, bundle.model.maximum_length)
    if len(tokens) > limit:
        raise InputError(
            f"{what} must have at most {limit} tokens, which is as much as can be shown, but has {len(tokens)}. "
            "Give one sentence at a time."
        )
    return tokens


def _target(trained: Bundle, bundle: Bundle, source: list[int], options: Options) -> tuple[Searched | None, list[int]]:
    """The target to trace, and the search that found it unless it was given."""
    if options.force is not None:
        return None, _forced(bundle, options.force)
    if options.what_if is not None and options.what_if.looks_ahead:
        # Step by step there is nothing ahead to see, so a search finds what it would have found anyway.
        return None, list(_searched(trained, source, options).best.tokens)
    searched = _searched(bundle, source, options)
    return searched, list(searched.best.tokens)


def _forced(bundle: Bundle, text: str) -> list[int]:
    """The tokens of a target that was given as text: another model may cut the same text otherwise."""
    return _fitting([*bundle.target_tokenizer.encode([text])[0], EOS], bundle, "`force`")


def _searched(bundle: Bundle, source: list[int], options: Options) -> Searched:
    """The readable search, by default as the model was saved with it."""
    chosen = {key: value for key in ("size", "alpha") if (value := getattr(options, key)) is not None}
    config = replace(BeamConfig(**bundle.decoding), nbest=1, **chosen)
    device = device_of(bundle.model)
    prefix = _fitting(bundle.target_tokenizer.encode([options.prefix or ""])[0], bundle, "`prefix`")
    begin = Sequences.of([prefix], device) if prefix else None
    return search(bundle.model, Sequences.of([source], device), config, begin)


def _output(text: str, searched: Searched | None, said: list[dict[str, Any]]) -> dict[str, Any]:
    if searched is None:
        total = math.fsum(step["logprob"] for step in said)
        return {"text": text, "mode": "forced", "logprob": total, "score": None, "finished": True}
    best = searched.best
    return {
        "text": text,
        "mode": "beam",
        "logprob": best.log_probability,
        "score": best.score,
        "finished": best.finished,
    }


def _identity(bundle: Bundle, text: str, options: Options) -> str:
    """The same for the same model, text and options, whenever and wherever it is made."""
    asked = json.dumps([bundle.digest, text, options.to_json()], sort_keys=True)
    return "sha256:" + hashlib.sha256(asked.encode()).hexdigest()


def _tool(passes: Passes) -> dict[str, Any]:
    return {
        "name": "saccade",
        "version": saccade.__version__,
        "torch": torch.__version__,
        "device": passes.logits.device.type,
        "dtype": str(passes.logits.dtype).removeprefix("torch."),
    }


def _family(passes: Passes) -> str:
    told = [*passes.encoder.values(), *passes.decoder.values()]
    for name, sign in (("recurrent", "states"), ("convolution", "kernel"), ("attention", "weights")):
        if any(part.tells(sign) for part in told):
            return name
    return "other"


def _embedding(told: dict[str, Part], owner: str, shelf: Shelf) -> dict[str, Any] | None:
    for part in told.values():
        if part.tells("token"):
            what = part.what
            tensors: dict[str, str] = {}
            for role in ("token", "position", "sum"):
                value = what.get(role)
                tensors |= shelf.put(owner, role, None if value is None else value[0], "token width")
            return {"scale": float(what.get("scale", 1.0)), "kind": what.get("kind"), "tensors": tensors}
    return None


def _positions(passes: Passes, bundle: Bundle, shelf: Shelf) -> str | None:
    for part in (*passes.encoder.values(), *passes.decoder.values()):
        if part.tells("token", "position"):
            table: Tensor = bundle.model.get_submodule(part.name).table  # type: ignore[assignment]
            return shelf.put("positions", "table", table[:POSITIONS], "position width")["table"]
    return None


def _alignment(
    bundle: Bundle,
    passes: Passes,
    target: Sequence[int],
    ids: dict[str, str],
    shelf: Shelf,
    best: dict[str, Any] | None,
) -> dict[str, Any] | None:
    if not bundle.model.alignment_blocks:
        return None
    with torch.no_grad():
        weights = bundle.model.align(Sequences.of([target], passes.logits.device), passes.memory)[0]
    name = shelf.put("alignment", "weights", weights, "reads source")["weights"]
    return {"blocks": [ids[block] for block in bundle.model.alignment_blocks], "tensor": name, "best": best}


def _memory(bundle: Bundle, passes: Passes, source: list[int], shelf: Shelf) -> dict[str, Any]:
    found = handover(bundle.model, passes.memory, source)
    tensors = shelf.put("memory", "states", found.states, "place width")
    return {"kind": found.kind, "numbers": found.numbers, "stays": found.stays, "tensors": tensors}
