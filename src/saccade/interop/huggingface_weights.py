"""The tensors of a Transformer under the names and in the order that Hugging Face's Marian and Pegasus give them.

Both have sines in the first half of a position vector and cosines in the second; the paper alternates them. Which place
of the model dimension is called the first means nothing to the rest of the network: every matrix that reads or writes
states, every norm and every embedding is permuted alike, so the numbers stay what they are, in another order.

Marian computes its position table and leaves it out when it saves; Pegasus saves it. A table that is not theirs
(learned positions, tensor2tensor's) is written into the file, where `from_pretrained` finds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from saccade.errors import FormatError
from saccade.interop.huggingface_ids import ExportedIds
from saccade.models.contract import IMPOSSIBLE
from saccade.special_tokens import PAD

ATTENTION = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
SUBLAYERS = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}


@dataclass(frozen=True)
class Place:
    """Where a tensor of ours stands in theirs, and which of its sides are the model dimension."""

    name: str
    rows: bool = False
    columns: bool = False
    absent_is_zero: bool = False
    """A bias that ours may lack and theirs has."""


def places(config: Any) -> dict[str, Place]:
    """Every tensor of the layers by our name."""
    found: dict[str, Place] = {}
    for side, count in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        for layer in range(count):
            found |= _layer_places(f"{side}.layers.{layer}", side == "decoder")
        if config.norm == "pre":
            found |= _norm_places(f"{side}.end", f"model.{side}.layer_norm")
    return found


def _layer_places(name: str, in_decoder: bool) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for ours, theirs in SUBLAYERS.items():
        if ours == "cross_attention" and not in_decoder:
            continue
        for part, called in ATTENTION.items():
            into = part == "output"
            found[f"{name}.{ours}.{part}.weight"] = Place(f"model.{name}.{theirs}.{called}.weight", into, not into)
            found[f"{name}.{ours}.{part}.bias"] = Place(f"model.{name}.{theirs}.{called}.bias", into, False, True)
        found |= _norm_places(f"{name}.around_{ours}.norm", f"model.{name}.{theirs}_layer_norm")
    found[f"{name}.feedforward.inner.weight"] = Place(f"model.{name}.fc1.weight", False, True)
    found[f"{name}.feedforward.inner.bias"] = Place(f"model.{name}.fc1.bias")
    found[f"{name}.feedforward.outer.weight"] = Place(f"model.{name}.fc2.weight", True)
    found[f"{name}.feedforward.outer.bias"] = Place(f"model.{name}.fc2.bias", True)
    return found | _norm_places(f"{name}.around_feedforward.norm", f"model.{name}.final_layer_norm")


def _norm_places(ours: str, theirs: str) -> dict[str, Place]:
    return {f"{ours}.{part}": Place(f"{theirs}.{part}", True) for part in ("weight", "bias")}


def embedding_names(config: Any) -> dict[str, tuple[str, ...]]:
    """Under which names each of our matrices of pieces stands in their file; matrices that are one stand there once."""
    if config.tie == "all":
        return {"target_embedding.weight": ("model.shared.weight",)}
    source = ("model.encoder.embed_tokens.weight", *(("model.shared.weight",) if config.norm == "pre" else ()))
    names = {"source_embedding.weight": source, "target_embedding.weight": ("model.decoder.embed_tokens.weight",)}
    if config.tie != "target" or config.norm == "pre":  # Pegasus ties all or nothing
        names["output.weight"] = ("lm_head.weight",)
    return names


def order(config: Any) -> Int[Tensor, " width"]:
    """Which place of our model dimension stands at each of theirs."""
    places_of_width = torch.arange(config.width)
    if config.positions != "sinusoidal":
        return places_of_width
    return torch.cat([places_of_width[0::2], places_of_width[1::2]])


def to_huggingface(config: Any, tensors: Mapping[str, Tensor], ids: ExportedIds) -> dict[str, Tensor]:
    """Our tensors, tied ones and position tables among them, as the content of their model.safetensors."""
    permutation = order(config)
    theirs = {}
    for ours, place in places(config).items():
        if ours in tensors:
            theirs[place.name] = _permuted(tensors[ours], place, permutation)
        else:
            assert place.absent_is_zero, ours
            theirs[place.name] = torch.zeros(tensors[ours.replace(".bias", ".weight")].shape[0])
    for ours, names in embedding_names(config).items():
        rows = torch.tensor(ids.source if ours.startswith("source") else ids.target)
        for name in names:
            theirs[name] = tensors[ours][rows][:, permutation]
    for side, name in (("source", "encoder"), ("target", "decoder")):
        if config.norm == "pre" or not has_their_positions(config, name):
            theirs[f"model.{name}.embed_positions.weight"] = _table(config, tensors, side)[:, permutation].clone()
    bias = torch.zeros(1, len(ids.target))
    if config.output_bias:
        bias[0] = tensors["output_bias"][torch.tensor(ids.target)]
        if forbids_padding(config, tensors):
            bias[0, ids.pad] = 0.0  # the generation config says it instead
    if config.start_of_target == "zero":
        # Their decoder begins with the vector of a piece, which is read nowhere else, and never written.
        read = "model.shared.weight" if config.tie == "all" else "model.decoder.embed_tokens.weight"
        if bool(theirs[read][ids.start].any()):
            theirs[read][ids.start] = 0.0
            bias[0, ids.start] = IMPOSSIBLE
    theirs["final_logits_bias"] = bias
    return {name: tensor.contiguous() for name, tensor in theirs.items()}


def forbids_padding(config: Any, tensors: Mapping[str, Tensor]) -> bool:
    """Whether PAD is impossible by the bias of the output, as imported models have it that renormalise without it."""
    return bool(config.output_bias) and float(tensors["output_bias"][PAD]) <= IMPOSSIBLE / 2


def exported_names(config: Any) -> set[str]:
    """The tensors that `to_huggingface` makes of a model."""
    embeddings = {name for names in embedding_names(config).values() for name in names}
    tables = {
        f"model.{side}.embed_positions.weight"
        for side in ("encoder", "decoder")
        if config.norm == "pre" or not has_their_positions(config, side)
    }
    return {place.name for place in places(config).values()} | embeddings | tables | {"final_logits_bias"}


def has_way_back(config: Any) -> bool:
    """Whether `from_huggingface` can undo the export: what was added up or replaced by zero cannot be had again."""
    return config.start_of_target == "token" and not config.target_space_rows


def from_huggingface(config: Any, theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Our parameters, bit for bit, of which `to_huggingface` has made these; tied ones once."""
    assert has_way_back(config)
    back = order(config).argsort()
    ours = {
        name: _permuted(theirs[place.name], place, back)
        for name, place in places(config).items()
        if config.attention_bias or not place.absent_is_zero
    }
    for name, names in embedding_names(config).items():
        ours[name] = _permuted(theirs[names[0]], Place(names[0], columns=True), back)
    for tied, name in (("embeddings", "source_embedding.weight"), ("target", "output.weight")):
        if config.tie == tied:
            ours.pop(name, None)
    if config.output_bias:
        ours["output_bias"] = theirs["final_logits_bias"].flatten()
    if config.positions == "learned":
        for side, name in (("source", "encoder"), ("target", "decoder")):
            ours[f"{side}_positions.table"] = theirs[f"model.{name}.embed_positions.weight"]
    return ours


def has_their_positions(config: Any, side: str) -> bool:
    """Whether Hugging Face computes the same position table for this side, but for the order of its columns."""
    added = bool(config.target_space_rows) and side == "encoder"
    return config.positions in ("sinusoidal", "halves") and not config.position_offset and not added


def _permuted(tensor: Tensor, place: Place, permutation: Int[Tensor, " width"]) -> Tensor:
    for side, permuted in enumerate((place.rows, place.columns)):
        if permuted:
            if side >= tensor.dim() or tensor.shape[side] != len(permutation):
                raise FormatError(
                    f"{place.name} must be {len(permutation)} wide, but has the shape {tuple(tensor.shape)}."
                )
            tensor = tensor.index_select(side, permutation)
    return tensor.contiguous()


def _table(config: Any, tensors: Mapping[str, Tensor], side: str) -> Float[Tensor, "positions width"]:
    """The position vectors of a side; tensor2tensor's target-space vector, the same everywhere, joins the source's."""
    table = tensors[f"{side}_positions.table"]
    return table + tensors["target_space.weight"][0] if side == "source" and config.target_space_rows else table
