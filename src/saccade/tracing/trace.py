"""One sentence on its way through a model, as one document: `explore-trace/1`.

Row t of a decoder block is the query made from input token t, and predicts token t of the target. Weights are those of
a model in evaluation mode, so without dropout. All tensors come from one forward pass forced through the target, which
a beam search found or the caller gave; `checks` says how far the document agrees with itself and with decoding step by
step.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

import saccade
from saccade.cancellation import Cancellation
from saccade.data.tasks import find_task
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.errors import ConfigError, InputError
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS
from saccade.tracing.axes import axis, unknown_characters
from saccade.tracing.beam_tree import BeamTree, search, to_json
from saccade.tracing.blocks import blocks_and_layers, identities
from saccade.tracing.constituents import constituents
from saccade.tracing.encoder_output import encoder_output
from saccade.tracing.forward_passes import ForwardPasses, ModuleRecord, device_of, run
from saccade.tracing.influence import best_head, influence
from saccade.tracing.invariants import checks
from saccade.tracing.model_description import describe, parameter_counts, tied_parameters
from saccade.tracing.options import WIDEST, TraceOptions, checked_text
from saccade.tracing.outputs import final, steps
from saccade.tracing.recurrent_states import convolutions, recurrent
from saccade.tracing.schema import SCHEMA
from saccade.tracing.tensors import TraceTensors
from saccade.tracing.traceable import Traceable
from saccade.tracing.what_if import WhatIf, changed_model, shuffled_order
from saccade.tracing.word_order import shuffled

LONGEST = 256
"""Tokens on either side: more could neither be read nor made quickly."""
POSITIONS = 64
"""Rows of the position table that a trace shows."""


def trace(
    traced: Traceable,
    text: str,
    options: TraceOptions | None = None,
    name: str = "model",
    cancellation: Cancellation | None = None,
) -> dict[str, Any]:
    """The document of one sentence through one model. A cancellation is noticed between two steps of decoding."""
    options = options or TraceOptions()
    return SentenceTrace(traced, text, options, name, cancellation).document(options.detail, cancellation)


class SentenceTrace:
    """One sentence through one model: searched and passed through once, whatever is asked of it later.

    `document` selects from what the passes left. Only "influence" and "shuffle" need passes of their own; they are made
    when they are first asked for. `searched` is a copy of the model that searches faster, such as `frozen_copy` makes.
    """

    def __init__(
        self,
        traced: Traceable,
        text: str,
        options: TraceOptions,
        name: str = "model",
        cancellation: Cancellation | None = None,
        searched: Transducer[Any, Any] | None = None,
    ) -> None:
        cancellation = cancellation or Cancellation()
        checked_text("text", text)
        traced.model.eval()
        self._has_source = find_task(traced.task).has_sources
        trees = _trees(traced)
        text = " ".join(trees.words(text)) if trees else traced.source_tokenizer.normalise(text)
        if not self._has_source:  # a language model continues the text
            options, text = replace(options, prefix=f"{options.prefix or ''} {text}".strip() or None), ""
        self._traced, self._text, self._options = traced, text, options
        self._source = source = _source(traced, text)
        what_if = options.what_if
        self._model = model = traced.model if what_if is None else changed_model(traced.model, what_if, source)
        searched = searched if searched is not None and what_if is None else model
        tree, self._target = _target(traced, searched, source, text, options, cancellation)
        self.tensors = TraceTensors()
        self._influence: dict[str, Any] | None = None
        self._shuffled: dict[str, Any] | None = None
        self._is_shuffled = False  # what was found may be nothing
        self._common = self._read(run(model, source, self._target, cancellation), tree, trees, name)

    def _read(
        self, passes: ForwardPasses, tree: BeamTree | None, trees: TreeOutputs | None, name: str
    ) -> dict[str, Any]:
        """What every document of this trace holds; fills `tensors`."""
        traced, text, options, what_if = self._traced, self._text, self._options, self._options.what_if
        model, source, target, tensors = self._model, self._source, self._target, self.tensors
        axes = {
            "source": axis(traced.source_tokenizer, source, text),
            "target": axis(traced.target_tokenizer, target),
            "reads": axis(traced.target_tokenizer, [BOS, *target[:-1]]),
        }
        ids = identities(passes, len(source))
        blocks, layers = blocks_and_layers(passes, ids, axes, tensors)
        predicted = steps(passes, target, traced.target_tokenizer)
        output = trees.text(target, text.split()) if trees else traced.target_tokenizer.decode(target)
        common: dict[str, Any] = {
            "schema": SCHEMA,
            "tool": _tool(passes),
            "model": describe(traced, model, name, family(passes)),
            "source_text": text,
            "unknown": unknown_characters(traced.source_tokenizer, text or options.prefix or ""),
            "axes": axes,
            "output": _output(output, tree, predicted, len(traced.target_tokenizer.language_tokens)),
            "tree": constituents(traced.target_tokenizer.pieces(target), text.split()) if trees else None,
            "steps": predicted,
            "blocks": blocks,
            "layers": layers,
            "embedding": {
                "source": _embedding(passes.encoder, "embedding.source", tensors),
                "target": _embedding(passes.decoder, "embedding.target", tensors),
            },
            "final": final(model, passes, tensors),
            "alignment": _alignment(model, passes, target, ids, tensors),
            "memory": _memory(model, passes, source, tensors),
            "recurrent": recurrent(passes, tensors),
            "conv": convolutions(passes),
            "beam": None if tree is None else to_json(tree, traced.target_tokenizer),
            "positions_table": _positions(model, passes, tensors),
            "counts": parameter_counts(model),
            "tied": tied_parameters(model),
            "what_if": None if what_if is None else what_if.to_json() | _order(what_if, len(source)),
        }
        comparable = what_if is None or not what_if.looks_ahead
        common["checks"] = checks(common, tensors.arrays, passes if comparable else None, ids)
        return common

    def document(self, detail: Sequence[str], cancellation: Cancellation | None = None) -> dict[str, Any]:
        """The document with this detail; see `TraceOptions`."""
        options = replace(self._options, detail=tuple(detail))
        base = None if options.what_if is None else _identity(self._traced, self._text, replace(options, what_if=None))
        measured = self._measured(cancellation) if self._measures(options) else None
        alignment = self._common["alignment"]
        if measured and alignment:
            alignment = {**alignment, "best": best_head(self._common["blocks"], self._common["axes"], self.tensors)}
        return {
            **self._common,
            "id": _identity(self._traced, self._text, options),
            "options": options.to_json(),
            "alignment": alignment,
            "influence": measured,
            "shuffle": self._in_another_order() if options.includes("shuffle", "positions") else None,
            "base_id": base,
            "tensors": self.tensors.to_json(options.detail),
        }

    def holds(self, detail: Sequence[str]) -> bool:
        """Whether a document with this detail needs no further pass."""
        options = replace(self._options, detail=tuple(detail))
        return (self._influence is not None or not self._measures(options)) and (
            self._is_shuffled or not options.includes("shuffle", "positions")
        )

    def _measures(self, options: TraceOptions) -> bool:
        return options.includes("influence") and self._has_source

    def _measured(self, cancellation: Cancellation | None) -> dict[str, Any]:
        if self._influence is None:
            axes = self._common["axes"]
            self._influence = influence(self._model, self._source, self._target, axes, self.tensors, cancellation)
        return self._influence

    def _in_another_order(self) -> dict[str, Any] | None:
        if not self._is_shuffled:
            self._shuffled = shuffled(self._model, self._source)
            self._is_shuffled = True
        return self._shuffled


def _trees(traced: Traceable) -> TreeOutputs | None:
    """What the outputs of a parser are; None for every other model."""
    if traced.leaves is None:
        return None
    return TreeOutputs(traced.target_tokenizer, traced.leaves, device_of(traced.model))


def _order(what_if: WhatIf, length: int) -> dict[str, Any]:
    return {"order": shuffled_order(what_if, length)} if what_if.name == "shuffled-positions" else {}


def _source(traced: Traceable, text: str) -> list[int]:
    """The tokens the encoder reads, EOS last; nothing but that where there is no source."""
    if not find_task(traced.task).has_sources:
        return [EOS]
    tokens = traced.source_tokenizer.encode([text])[0]
    if not tokens:
        raise InputError("`text` must hold at least one word, but is empty. Type a sentence.")
    return _fitting([*tokens, EOS], traced, "`text`")


def _fitting(tokens: list[int], traced: Traceable, what: str) -> list[int]:
    limit = min(LONGEST, traced.model.maximum_length)
    if len(tokens) > limit:
        raise InputError(
            f"{what} must have at most {limit} tokens, which is as much as can be shown, but has {len(tokens)}. "
            "Give one sentence at a time."
        )
    return tokens


def _target(
    traced: Traceable,
    model: Transducer[Any, Any],
    source: list[int],
    text: str,
    options: TraceOptions,
    cancellation: Cancellation,
) -> tuple[BeamTree | None, list[int]]:
    """The target to trace, and the search that found it unless it was given."""
    if options.force is not None:
        return None, _forced(traced, text, options.force)
    if options.what_if is not None and options.what_if.looks_ahead:
        # Decoding step by step has nothing ahead to see, so the changed model would find what the original finds.
        return None, list(_search(traced, traced.model, source, text, options, cancellation).best.tokens)
    tree = _search(traced, model, source, text, options, cancellation)
    return tree, list(tree.best.tokens)


def _forced(traced: Traceable, text: str, target: str) -> list[int]:
    """The tokens of a target given as text: every model cuts the same text with its own tokenizer."""
    trees = _trees(traced)
    target = trees.symbols(target, text) if trees else target
    return _fitting([*_begun(traced.target_tokenizer, target), EOS], traced, "`force`")


def _begun(tokenizer: Tokenizer, text: str) -> list[int]:
    """The tokens of a target or its beginning, after those that name its language."""
    return [*tokenizer.language_tokens, *tokenizer.without_language.encode([text])[0]]


def _search(
    traced: Traceable,
    model: Transducer[Any, Any],
    source: list[int],
    text: str,
    options: TraceOptions,
    cancellation: Cancellation,
) -> BeamTree:
    """Beam search with the settings the model was saved with, unless the options change them."""
    chosen = {key: value for key in ("size", "alpha") if (value := getattr(options, key)) is not None}
    config = replace(BeamConfig(**traced.decoding), nbest=1, **chosen)
    if config.size > WIDEST:
        raise ConfigError(
            f"the beam size must be at most {WIDEST} for a trace, but the model was saved with {config.size}. "
            "Choose a smaller one."
        )
    config = replace(config, extra_length=min(config.extra_length, LONGEST))
    device = device_of(model)
    prefix = _fitting(_begun(traced.target_tokenizer, options.prefix or ""), traced, "`prefix`")
    begin = Sequences.of([prefix], device) if prefix else None
    trees = _trees(traced)
    rules = trees.rules([trees.leaf_tokens(text.split())]) if trees else None
    read, branches = Sequences.of([source], device), options.what_if is None
    return search(model, read, config, begin, cancellation, rules, branches=branches)


def _output(text: str, tree: BeamTree | None, predicted: list[dict[str, Any]], unscored: int) -> dict[str, Any]:
    given = {"unscored": unscored} if unscored else {}
    if tree is None:
        total = math.fsum(step["logprob"] for step in predicted[unscored:])
        return {"text": text, "mode": "forced", "logprob": total, "score": None, "finished": True, **given}
    best = tree.best
    return {
        **given,
        "text": text,
        "mode": "beam",
        "logprob": best.log_probability,
        "score": best.score,
        "finished": best.finished,
    }


def _identity(traced: Traceable, text: str, options: TraceOptions) -> str:
    """A checksum of model, text and options: the same request has the same id everywhere."""
    told = [traced.source_tokenizer, traced.target_tokenizer]
    languages = [tokenizer.pieces(tokenizer.language_tokens) for tokenizer in told if tokenizer.language_tokens]
    asked = json.dumps([traced.digest, text, options.to_json(), *languages], sort_keys=True)
    return "sha256:" + hashlib.sha256(asked.encode()).hexdigest()


def _tool(passes: ForwardPasses) -> dict[str, Any]:
    return {
        "name": "saccade",
        "version": saccade.__version__,
        "torch": torch.__version__,
        "device": passes.logits.device.type,
        "dtype": str(passes.logits.dtype).removeprefix("torch."),
    }


def family(passes: ForwardPasses) -> str:
    """What a model is made of: "recurrent", "convolution" or "attention", the first of them that it has."""
    records = [*passes.encoder.values(), *passes.decoder.values()]
    for name, sign in (("recurrent", "states"), ("convolution", "kernel"), ("attention", "weights")):
        if any(record.has(sign) for record in records):
            return name
    return "other"


def _embedding(records: dict[str, ModuleRecord], owner: str, tensors: TraceTensors) -> dict[str, Any] | None:
    for record in records.values():
        if record.has("token"):
            values = record.values
            names: dict[str, str] = {}
            for role in ("token", "position", "sum"):
                value = values.get(role)
                names |= tensors.put(owner, role, None if value is None else value[0], "token width")
            return {"scale": float(values.get("scale", 1.0)), "kind": values.get("kind"), "tensors": names}
    return None


def _positions(model: Transducer[Any, Any], passes: ForwardPasses, tensors: TraceTensors) -> str | None:
    for record in (*passes.encoder.values(), *passes.decoder.values()):
        if record.has("token", "position"):
            table: Tensor = model.get_submodule(record.name).table  # type: ignore[assignment]
            return tensors.put("positions", "table", table[:POSITIONS], "position width")["table"]
    return None


def _alignment(
    model: Transducer[Any, Any],
    passes: ForwardPasses,
    target: Sequence[int],
    ids: dict[str, str],
    tensors: TraceTensors,
) -> dict[str, Any] | None:
    if not model.alignment_blocks:
        return None
    with torch.no_grad():
        weights = model.align(Sequences.of([target], passes.logits.device), passes.memory)[0]
    name = tensors.put("alignment", "weights", weights, "reads source")["weights"]
    return {"blocks": [ids[block] for block in model.alignment_blocks], "tensor": name, "best": None}


def _memory(
    model: Transducer[Any, Any], passes: ForwardPasses, source: list[int], tensors: TraceTensors
) -> dict[str, Any]:
    found = encoder_output(model, passes.memory, source)
    names = tensors.put("memory", "states", found.states, "place width")
    return {"kind": found.kind, "numbers": found.numbers, "stays": found.stays, "tensors": names}
