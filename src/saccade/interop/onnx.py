"""A Transformer as three ONNX graphs, for onnxruntime and whatever else runs them.

    encoder_model.onnx             the source once
    decoder_model.onnx             the first step: keys and values of the source, and of what is written so far
    decoder_with_past_model.onnx   every further step, one token each
    config.json, generation_config.json, tokenizer files, README.md     as in `huggingface_export.py`
    saccade.json                   ours: see `exported_folder.py`

Files, inputs and outputs are named as Hugging Face's Optimum names them, so that its `ORTModelForSeq2SeqLM` and
transformers.js find their way. The graphs are traced from our own modules by torch's exporter: positions, norms and
attentions are what they are, and no number has to be brought into another's form.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from saccade.attention.masks import Visibility
from saccade.attention.multihead import KeysValues
from saccade.errors import ConfigError
from saccade.interop.exported_folder import check_place, exported_folder
from saccade.interop.huggingface_export import tokenizer_obstacle, write_descriptions
from saccade.interop.huggingface_ids import our_ids
from saccade.interop.huggingface_m2m100 import is_m2m100
from saccade.interop.trained_model import TrainedModel
from saccade.sequences import Sequences
from saccade.special_tokens import UNK

ENCODER, DECODER, DECODER_WITH_PAST = "encoder_model.onnx", "decoder_model.onnx", "decoder_with_past_model.onnx"
PROGRAM = "ONNX"
OPSET = 18
# A protocol buffer holds two gigabytes; beyond that the weights go into a file beside the graph.
LARGEST_FILE = 1_900_000_000
KINDS = ("decoder.key", "decoder.value", "encoder.key", "encoder.value")

Inputs = dict[str, tuple[Tensor, dict[int, str]]]
"""By name: a tensor to trace with, and the names of its axes that can have any size."""


def require() -> None:
    """Refuses to go on without the optional packages, with the words that say how to get them."""
    missing = [name for name in ("onnx", "onnxscript") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"`{missing[0]}` must be installed to export to ONNX, but is not. "
            "Run `pip install 'onnx>=1.18' 'onnxscript>=0.5'`."
        )


def obstacle(trained: TrainedModel) -> str | None:
    """Why a model has no graph of this kind, as an error says it; None where it has."""
    if trained.architecture != "transformer":
        return (
            f"`architecture` must be transformer to be exported to ONNX, but is {trained.architecture}. "
            "Train a transformer on the same text."
        )
    for name, wanted in (("attention_window", None), ("score", "scaled-dot")):
        if (value := getattr(trained.model_config, name)) != wanted:
            return f"`{name}` must be {wanted} to be exported to ONNX, but is {value}. Use it with saccade."
    if is_m2m100(trained):
        return (
            "a model must be of one pair of languages to be exported to ONNX, but is told its languages. Export it to "
            "CTranslate2, or to Hugging Face."
        )
    return tokenizer_obstacle(trained)


def export(trained: TrainedModel, folder: Path, card: str) -> None:
    """Writes the folder, atomically, replacing an older export; other files in it stay."""
    require()
    if (reason := obstacle(trained)) is not None:
        raise ConfigError(reason)
    check_place(folder, PROGRAM)
    with exported_folder(folder, PROGRAM) as partial, _quiet(), torch.inference_mode():
        _write_graphs(trained.model, partial)
        ids = our_ids(trained.source_tokenizer, trained.target_tokenizer)
        write_descriptions(partial, trained, card, ids)


class EncoderGraph(nn.Module):
    """From a source and its mask to the encoder's output."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Padding is on the right."""
        states: Tensor = self.model.encode(Sequences(input_ids, attention_mask.sum(dim=1))).states
        return states


class DecoderGraph(nn.Module):
    """The first tokens of an output: their logits, and what later steps need of them and of the source."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, encoder_attention_mask: Tensor, input_ids: Tensor, encoder_hidden_states: Tensor
    ) -> tuple[Tensor, ...]:
        """Logits, then for each layer the keys and values of the tokens and of the source."""
        decoder = self.model.decoder
        source = decoder.source(encoder_hidden_states)
        states, written = decoder(
            self.model._embed_target(input_ids, self.model.target_positions(0, input_ids.shape[1]).unsqueeze(0)),
            tuple(_Nothing(others.keys, others.values) for others in source),
            source,
            Visibility(causal=True),
            Visibility(keys=encoder_attention_mask.bool()),
        )
        layers = zip(written, source, strict=True)
        tensors = [(own.keys, own.values, others.keys, others.values) for own, others in layers]
        return self.model.logits(states), *(tensor for layer in tensors for tensor in layer)


class DecoderWithPastGraph(nn.Module):
    """One more token: its logits, and the keys and values of what is written now."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, encoder_attention_mask: Tensor, input_ids: Tensor, *past: Tensor) -> tuple[Tensor, ...]:
        """`past` holds four tensors for each layer, in the order of KINDS."""
        written = tuple(_Past(*past[layer : layer + 2]) for layer in range(0, len(past), 4))
        source = tuple(KeysValues(*past[layer + 2 : layer + 4]) for layer in range(0, len(past), 4))
        place = self.model.target_positions(past[0].shape[2], 1).unsqueeze(0)
        states, now = self.model.decoder(
            self.model._embed_target(input_ids, place),
            written,
            source,
            Visibility(),
            Visibility(keys=encoder_attention_mask.bool()),
        )
        return self.model.logits(states), *(tensor for own in now for tensor in (own.keys, own.values))


class _Nothing(KeysValues):
    """No positions yet, whatever it holds: to ask `KeysValues` for its length would fix the length of the graph."""

    def append(self, later: KeysValues) -> KeysValues:
        return later


class _Past(KeysValues):
    """At least one position."""

    def append(self, later: KeysValues) -> KeysValues:
        return KeysValues(torch.cat([self.keys, later.keys], dim=2), torch.cat([self.values, later.values], dim=2))


def _write_graphs(model: Any, folder: Path) -> None:
    """Each graph from inputs of unequal sizes; the axes that have a name can have any other."""
    config = model.config
    each = config.width // config.heads
    widths = (config.key_width or each, config.value_width or each)
    batch, source, target = 2, 5, 3
    mask, tokens = torch.ones(batch, source, dtype=torch.int64), torch.full((batch, target), UNK)
    states = torch.zeros(batch, source, config.width)
    past = [torch.zeros(batch, config.heads, length, width) for length in (target, source) for width in widths]
    of_source, of_target = ({0: "batch", 1: f"{side}_sequence_length"} for side in ("encoder", "decoder"))
    of_past = [{0: "batch", 2: f"{name}_sequence_length"} for name in ("past_decoder", "encoder") for _ in widths]

    read: Inputs = {"input_ids": (mask, of_source), "attention_mask": (mask, of_source)}
    _write(EncoderGraph(model), read, ["last_hidden_state"], folder / ENCODER)
    read = {"encoder_attention_mask": (mask, of_source), "input_ids": (tokens, of_target)}
    read["encoder_hidden_states"] = (states, of_source)
    names = [f"{layer}.{kind}" for layer in range(config.decoder_layers) for kind in KINDS]
    _write(DecoderGraph(model), read, ["logits", *(f"present.{name}" for name in names)], folder / DECODER)
    read = {"encoder_attention_mask": (mask, of_source), "input_ids": (tokens[:, :1], {0: "batch"})}
    for place, name in enumerate(names):
        read[f"past_key_values.{name}"] = past[place % len(KINDS)], of_past[place % len(KINDS)]
    own = [f"present.{name}" for name in names if ".decoder." in name]
    _write(DecoderWithPastGraph(model), read, ["logits", *own], folder / DECODER_WITH_PAST)


def _write(graph: nn.Module, inputs: Inputs, outputs: Sequence[str], path: Path) -> None:
    # Two inputs that are one tensor would become one input of the graph.
    tensors = tuple(tensor.clone() for tensor, _ in inputs.values())
    axes: tuple[Any, ...] = tuple(names for _, names in inputs.values())
    if isinstance(graph, DecoderWithPastGraph):
        axes = (*axes[:2], axes[2:])  # what `*past` takes is one argument to the exporter
    size = sum(parameter.nbytes for parameter in graph.parameters())
    # The exporter names this module in an `except`: Ctrl-C while it is still being imported would be lost there.
    import_module("torch._dynamo.exc")
    torch.onnx.export(
        graph.eval(),
        tensors,
        path,
        input_names=list(inputs),
        output_names=list(outputs),
        dynamic_shapes=axes,
        opset_version=OPSET,
        dynamo=True,
        external_data=size > LARGEST_FILE,
        verbose=False,
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Torch's exporter tells its own story in warnings and log lines, none of which a user can act upon."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
