"""A Transformer as a model folder of CTranslate2 (https://github.com/OpenNMT/CTranslate2), which runs it fast on CPUs.

    model.bin                           the weights, in one of FORMS
    config.json                         special tokens, the epsilon of the layer norms
    shared_vocabulary.json              the pieces, or source_vocabulary.json and target_vocabulary.json
    vmap.txt                            optional: which target pieces a source piece calls for (`data/shortlist.py`)
    saccade.json                        ours: see `exported_folder.py`

CTranslate2 has one matrix for queries, keys and values and one for keys and values, and one size for a head's keys and
values. What the paper has beyond that is brought into this form without changing a number: a narrower key or value is
filled up with zeros, and tensor2tensor's target-space vector, being the same everywhere, joins the source positions.
PAD and BOS are never written: a bias of minus ten thousand on their logits is the whole rule.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn

from saccade.data.shortlist import Shortlist
from saccade.errors import ConfigError
from saccade.interop.exported_folder import check_place, exported_folder
from saccade.interop.trained_model import TrainedModel
from saccade.special_tokens import BOS, EOS, PAD, UNK

PROGRAM = "CTranslate2"
Form = Literal["float32", "int8", "int16"]
FORMS: tuple[Form, ...] = get_args(Form)
SHORTLIST = "vmap.txt"
# What a logit becomes that must never win. A float16 holds it, should CTranslate2 be asked for that.
NEVER = -1e4

Array = np.ndarray[Any, np.dtype[np.float32]]


def installed() -> bool:
    """Whether the optional package is there; nothing is imported."""
    return find_spec("ctranslate2") is not None


def require() -> Any:
    """The package, or the words that say how to get it.

    On an Intel CPU it would multiply by MKL, whose sums change with the number of rows: the digits of a score, and at
    times an output, would depend on the other sentences of a batch. By oneDNN, which it uses on all other x86 CPUs,
    they do not. Whoever has set its variable has decided, and so has whoever imported the package before.
    """
    if not installed():
        raise ConfigError(
            "`ctranslate2` must be installed to use or export to CTranslate2, but is not. "
            "Run `pip install 'ctranslate2>=4.8'`."
        )
    os.environ.setdefault("CT2_USE_MKL", "0")
    import ctranslate2

    return ctranslate2


def obstacle(architecture: str, config: Any) -> str | None:
    """Why CTranslate2 cannot run a model, as an error says it; None where it can."""
    if architecture != "transformer":
        return f"`architecture` must be transformer to run in CTranslate2, but is {architecture}. Use the engine torch."
    if config.attention_window is not None:
        return (
            "`attention_window` must be None to run in CTranslate2, which knows no window of this kind, but is "
            f"{config.attention_window}. Use the engine torch."
        )
    if config.score != "scaled-dot":
        return (
            f"`score` must be scaled-dot to run in CTranslate2, which knows no other, but is {config.score}. "
            "Use the engine torch."
        )
    if config.norm not in ("post", "pre"):
        return (
            "`norm` must be post or pre to run in CTranslate2, whose layers are always normalised, but is "
            f"{config.norm}. Use the engine torch."
        )
    return None


def export(trained: TrainedModel, folder: Path, form: Form = "float32") -> None:
    """Writes the folder, atomically, replacing an older export; other files in it stay."""
    require()
    reason = obstacle(trained.architecture, trained.model_config)
    if reason is not None:
        raise ConfigError(reason)
    check_place(folder, PROGRAM)
    spec = _spec(asdict(trained.model_config), _tensors(trained.model))
    tokenizers = trained.source_tokenizer, trained.target_tokenizer
    source, target = ([*tokenizer.pieces(range(tokenizer.size))] for tokenizer in tokenizers)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = target[UNK], target[BOS], target[EOS]
    spec.config.decoder_start_token = target[BOS]
    spec.config.add_source_eos = True
    spec.config.layer_norm_epsilon = trained.model_config.norm_epsilon
    spec.validate()
    spec.optimize(quantization=form)
    with exported_folder(folder, PROGRAM) as partial:
        spec.save(str(partial))
        if trained.shortlist is not None:
            (partial / SHORTLIST).write_text(_vocabulary_map(trained.shortlist, source, target), encoding="utf-8")


def _vocabulary_map(shortlist: Shortlist, source: Sequence[str], target: Sequence[str]) -> str:
    """A source piece, a tab, its target pieces, on each line; the empty piece stands for every sentence."""
    rows = [("", shortlist.always.tolist())] + [(piece, shortlist.of_piece(id)) for id, piece in enumerate(source)]
    return "".join(f"{piece}\t{' '.join(target[token] for token in called)}\n" for piece, called in rows if called)


def _tensors(model: nn.Module) -> dict[str, Array]:
    """Every tensor by name: tied ones under each of their names, and the computed position tables too.

    They are copies, since CTranslate2 scales in place what it turns into bytes.
    """
    named: dict[str, Tensor] = dict(model.named_buffers()) | dict(model.named_parameters(remove_duplicate=False))
    return {name: tensor.detach().to("cpu", torch.float32, copy=True).numpy() for name, tensor in named.items()}


def _spec(config: Mapping[str, Any], tensors: Mapping[str, Array]) -> Any:
    """CTranslate2's description of the model, filled."""
    from ctranslate2.specs import TransformerDecoderSpec, TransformerEncoderSpec, TransformerSpec
    from ctranslate2.specs.common_spec import Activation

    each = config["width"] // config["heads"]
    head = max(config["key_width"] or each, config["value_width"] or each)
    activation = {
        "relu": Activation.RELU,
        "silu": Activation.SWISH,
        "gelu": Activation.GELU,
        "quick_gelu": Activation.GELUSigmoid,
    }[config["activation"]]
    options = {
        "pre_norm": config["norm"] == "pre",
        "head_dim": None if head == each else head,
        "activation": activation,
    }
    spec = TransformerSpec(
        TransformerEncoderSpec(config["encoder_layers"], config["heads"], **options),
        TransformerDecoderSpec(config["decoder_layers"], config["heads"], **options),
    )
    filler = _Filler(tensors, config["heads"], config["key_width"] or each, head)
    filler.embed(spec.encoder, spec.encoder.embeddings[0], "source")
    filler.embed(spec.decoder, spec.decoder.embeddings, "target")
    if config["target_space_rows"]:
        spec.encoder.position_encodings.encodings = (
            spec.encoder.position_encodings.encodings + tensors["target_space.weight"][0]
        )
    spec.decoder.start_from_zero_embedding = config["start_of_target"] == "zero"
    spec.encoder.scale_embeddings = spec.decoder.scale_embeddings = config["scale_embedding"]
    for stack, side in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        for number, layer in enumerate(stack.layer):
            name = f"{side}.layers.{number}"
            filler.attend(layer.self_attention, f"{name}.self_attention", of_itself=True)
            filler.norm(layer.self_attention.layer_norm, f"{name}.around_self_attention.norm")
            if side == "decoder":
                filler.attend(layer.attention, f"{name}.cross_attention", of_itself=False)
                filler.norm(layer.attention.layer_norm, f"{name}.around_cross_attention.norm")
            filler.linear(layer.ffn.linear_0, f"{name}.feedforward.inner")
            filler.linear(layer.ffn.linear_1, f"{name}.feedforward.outer")
            filler.norm(layer.ffn.layer_norm, f"{name}.around_feedforward.norm")
        if config["norm"] == "pre":
            filler.norm(stack.layer_norm, f"{side}.end")
    spec.decoder.projection.weight = tensors["output.weight"]
    bias = tensors.get("output_bias", np.zeros(len(tensors["output.weight"]), dtype=np.float32))
    bias[[PAD, BOS]] = NEVER
    spec.decoder.projection.bias = bias
    return spec


class _Filler:
    """From the names of our tensors to CTranslate2's places."""

    def __init__(self, tensors: Mapping[str, Array], heads: int, key_width: int, head: int) -> None:
        self.tensors, self.heads, self.head = tensors, heads, head
        self.queries_scale = None if key_width == head else np.float32(key_width**-0.5)

    def embed(self, stack: Any, embeddings: Any, side: str) -> None:
        embeddings.weight = self.tensors[f"{side}_embedding.weight"]
        stack.position_encodings.encodings = self.tensors[f"{side}_positions.table"]

    def norm(self, place: Any, name: str) -> None:
        place.gamma, place.beta = self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"]

    def linear(self, place: Any, name: str) -> None:
        place.weight = self.tensors[f"{name}.weight"]
        if f"{name}.bias" in self.tensors:
            place.bias = self.tensors[f"{name}.bias"]

    def attend(self, place: Any, name: str, *, of_itself: bool) -> None:
        for target, parts in zip(place.linear[:-1], _JOINED[of_itself], strict=True):
            self._joined(target, [f"{name}.{part}" for part in parts])
        output = self.tensors[f"{name}.output.weight"]
        place.linear[-1].weight = np.ascontiguousarray(self._wide(output.T).T)
        if f"{name}.output.bias" in self.tensors:
            place.linear[-1].bias = self.tensors[f"{name}.output.bias"]
        if self.queries_scale is not None:
            place.queries_scale = self.queries_scale

    def _joined(self, place: Any, names: Sequence[str]) -> None:
        place.weight = np.concatenate([self._wide(self.tensors[f"{name}.weight"]) for name in names])
        biases = [self.tensors[f"{name}.bias"] for name in names if f"{name}.bias" in self.tensors]
        if biases:
            place.bias = np.concatenate([self._wide(bias[:, None])[:, 0] for bias in biases])

    def _wide(self, rows: Array) -> Array:
        """The rows of every head, filled up with rows of zeros to the size CTranslate2 gives a head."""
        split = rows.reshape(self.heads, -1, rows.shape[1])
        filled = np.pad(split, ((0, 0), (0, self.head - split.shape[1]), (0, 0)))
        return filled.reshape(self.heads * self.head, rows.shape[1])


# What stands in each of an attention's matrices but the last, the output's, by whether it attends to itself.
_JOINED: dict[bool, tuple[tuple[str, ...], ...]] = {
    True: (("query", "key", "value"),),
    False: (("query",), ("key", "value")),
}
