"""A model as a live page carries it: what its modules are, its weights as the folder stores them, its tokenizers.

The page has a class for every type of module named here, which computes what the module computes
(`page/engine/interpreter.js`). A module of another type, or a setting that the page does not know, is refused when the
page is written: what a page shows is what the model does, or there is no page.
"""

import base64
import gzip
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

import saccade
from saccade.data.sentencepiece_model import protobuf_field
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.layers.position import FixedPositions
from saccade.serving.bundle import Bundle
from saccade.serving.quantization import pack
from saccade.special_tokens import EOS, UNK
from saccade.tensor_files import write_tensors
from saccade.tracing.forward_passes import run
from saccade.tracing.model_description import describe, parameter_counts, tied_parameters
from saccade.tracing.trace import LONGEST, family
from saccade.weights import stored_names, weights_of

SEARCHED = ("size", "alpha", "extra_length", "length_rule")
"""What of a search the page lets be chosen; everything else must be as BeamConfig has it by default."""
_ELSEWHERE = "Leave --live out: the page then holds what was asked for."


def _nothing(_: nn.Module) -> dict[str, Any]:
    return {}


def _norm(norm: nn.LayerNorm) -> dict[str, Any]:
    return {"epsilon": norm.eps}


def _positions(positions: FixedPositions) -> dict[str, Any]:
    length, width = positions.table.shape
    return {"kind": positions.kind, "length": length, "width": width}


def _transformer(model: Any) -> dict[str, Any]:
    config = model.config
    return {
        "maximum_length": config.maximum_length,
        "attention_window": config.attention_window,
        "start_of_target": config.start_of_target,
    }


def _embedding(embedding: Any) -> dict[str, Any]:
    return {"scale": 1.0 if isinstance(embedding, nn.Embedding) else embedding.scale}


def _stack(stack: Any) -> dict[str, Any]:
    if stack.program.bidirectional:
        raise ConfigError(
            f"a live page must have recurrent stacks that read one way, but this reads both. {_ELSEWHERE}"
        )
    return {}


def _local(alignment: Any) -> dict[str, Any]:
    return {"reach": alignment.reach}


def _luong(model: Any) -> dict[str, Any]:
    return _sutskever(model) | {"input_feeding": model.config.input_feeding}


def _sutskever(model: Any) -> dict[str, Any]:
    return {"maximum_length": model.config.maximum_length, "reverse_source": model.config.reverse_source}


def _convs2s(model: Any) -> dict[str, Any]:
    wiring = model.wiring
    return {
        "maximum_length": model.config.maximum_length,
        "values": wiring.values,
        "by_length": wiring.by_length,
    }


def _conv_decoder_layer(layer: Any) -> dict[str, Any]:
    wiring = layer.wiring
    return {
        "residual": wiring.residual,
        "query": wiring.query,
        "context": wiring.context,
        "attention_inside": wiring.attention_inside,
    }


def _length(model: Any) -> dict[str, Any]:
    return {"maximum_length": model.config.maximum_length}


def _stack_model(model: Any) -> dict[str, Any]:
    return _length(model) | {"attention_window": model.config.attention_window}


def _neural_probabilistic(model: Any) -> dict[str, Any]:
    return _length(model) | {"seen": model.config.order - 1, "direct_links": model.config.direct_links}


def _ngram(model: Any) -> dict[str, Any]:
    return _length(model) | {"order": model.config.order, "vocabulary": model.target_vocabulary}


def _memory_network(model: Any) -> dict[str, Any]:
    config = model.config
    return _length(model) | {"memory_size": config.memory_size, "question": config.question}


def _lstmn_language_model(model: Any) -> dict[str, Any]:
    config = model.config
    return _length(model) | {"width": config.width, "skip_connections": config.skip_connections}


def _ttt_linear(layer: Any) -> dict[str, Any]:
    return {"batch": layer.batch, "rate": layer.rate, "inner": layer.inner}


def _lstmn(model: Any) -> dict[str, Any]:
    config = model.config
    return {"maximum_length": config.maximum_length, "fusion": config.fusion, "width": config.width}


SETTINGS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "ActivatedGeneral": _nothing,
    "Additive": _nothing,
    "AffineProjection": _nothing,
    "Annotation": _nothing,
    "Attention": _nothing,
    "AttentiveReading": lambda reading: {"value_part": reading.value_part},
    "BahdanauGRU": _nothing,
    "BiasedProjection": _nothing,
    "ChoGRU": _nothing,
    "Concat": _nothing,
    "ConvDecoder": lambda decoder: {"before": decoder.before},
    "ConvDecoderLayer": _conv_decoder_layer,
    "ConvEncoder": _nothing,
    "ConvEncoderLayer": lambda layer: {"factor": layer.factor},
    "ConvS2S": _convs2s,
    "Cosine": _nothing,
    "Decoder": _nothing,
    "DecoderLayer": _nothing,
    "DeepFusion": _nothing,
    "Diagonal": lambda alignment: {"spread": alignment.spread},
    "Dot": lambda score: {"factor": score.factor},
    "Embedding": _embedding,
    "Encoder": _nothing,
    "FeedForward": lambda network: {"activation": network.activation},
    "FixedPositions": _positions,
    "GRU": _nothing,
    "GatedConvolution": lambda convolution: {"size": convolution.size, "before": convolution.before},
    "General": _nothing,
    "GrowingKernels": lambda kernels: {"widest": kernels.widest},
    "Hard": _nothing,
    "HeadScores": _nothing,
    "Hop": _nothing,
    "Identity": _nothing,
    "Indifferent": _nothing,
    "InverseNgramModel": _nothing,
    "KeyValuePredict": lambda model: _length(model) | {"remembered": model.config.remembered},
    "LSTM": _nothing,
    "LSTMCell": _nothing,
    "LSTMN": _lstmn,
    "LSTMNDecoder": _nothing,
    "LSTMNEncoder": _nothing,
    "LSTMNLanguageModel": _lstmn_language_model,
    "LayerNorm": _norm,
    "LearnedPositions": _nothing,
    "Linear": _nothing,
    "ListState": _nothing,
    "LocalMonotonic": _local,
    "LocalPredictive": _local,
    "Location": _nothing,
    "Luong": _luong,
    "MaxoutOutput": _nothing,
    "MemoryNetwork": _memory_network,
    "ModuleList": _nothing,
    "MultiHeadAttention": lambda attention: {"heads": attention.heads},
    "NGram": _ngram,
    "NeuralProbabilistic": _neural_probabilistic,
    "NgramModel": lambda model: {"ngram": model.ngram},
    "NgramReading": _nothing,
    "NoSource": lambda source: {"width": source.width},
    "NormalisedLinear": _nothing,
    "ParameterList": _nothing,
    "Plain": _nothing,
    "PostNorm": _nothing,
    "PreNorm": _nothing,
    "RCTM": _length,
    "RNN": _nothing,
    "RNNEncoderDecoder": _length,
    "RNNLanguageModel": _length,
    "RNNStack": _stack,
    "RNNsearch": lambda model: _length(model) | {"output_state": model.config.output_state},
    "Reader": _nothing,
    "Reinforced": _nothing,
    "ReinforcedSubset": _nothing,
    "ResetAfterGRU": _nothing,
    "Residual": _nothing,
    "SelfAttentionLayer": _nothing,
    "SelfAttentionStack": _nothing,
    "SelfAttentive": _length,
    "SentenceModel": _nothing,
    "ShallowFusion": _nothing,
    "ShortConvolution": _nothing,
    "Sigmoid": _nothing,
    "Soft": _nothing,
    "SourceAsNgrams": lambda source: {"ngram": source.ngram, "ratio": source.ratio},
    "SourceAsSentence": _nothing,
    "Sparsemax": _nothing,
    "StateLanguageModel": _length,
    "StateLayer": _nothing,
    "Sutskever": _sutskever,
    "TTTLinear": _ttt_linear,
    "TanhCell": _nothing,
    "TapeLayer": _nothing,
    "TopK": lambda alignment: {"count": alignment.count},
    "TorchGRU": _nothing,
    "Transformer": _transformer,
    "TransformerClassifier": _stack_model,
    "TransformerLanguageModel": _stack_model,
    "VectorState": _nothing,
    "WindowAttention": lambda attention: {"window": attention.window},
}
"""The classes of modules that the page has too, under the same names, and the settings that each needs there."""


def live_model(bundle: Bundle, name: str) -> dict[str, Any]:
    """All that the page needs to run a model, as JSON; raises an error where the page could not."""
    _check_text(bundle)
    search = _search(bundle.search)
    model = bundle.model
    modules = module_tree(model, stored_names(model))
    same = bundle.source_tokenizer == bundle.target_tokenizer
    return {
        "modules": modules,
        "weights": _base64(gzip.compress(_weights_file(bundle), mtime=0)),
        "tokenizers": {
            "source": _base64(bundle.source_tokenizer.model_bytes),
            "target": None if same else _base64(bundle.target_tokenizer.model_bytes),
        },
        "search": search,
        "has_source": bundle.has_sources,
        "leaves": bundle.leaves,
        "alignment_blocks": list(model.alignment_blocks),
        "description": describe(bundle, model, name, family(run(model, [UNK, EOS], [UNK, EOS]))),
        "tool": {
            "name": "saccade",
            "version": saccade.__version__,
            "torch": torch.__version__,
            "device": "page",
            "dtype": "float32",
        },
        "counts": parameter_counts(model),
        "tied": tied_parameters(model),
    }


def module_tree(module: nn.Module, stored: Mapping[str, str], path: str = "") -> dict[str, Any]:
    """A module with its parts: type, settings, and the name that each of its own parameters is stored under."""
    kind = type(module).__name__
    if kind not in SETTINGS:
        raise ConfigError(
            f"a live page must be of a model whose parts a page can compute, but {path or 'the model'} is "
            f"{kind}. {_ELSEWHERE}"
        )
    inside = f"{path}." if path else ""
    return {
        "type": kind,
        "settings": SETTINGS[kind](module),
        # Not named_children(), which leaves out the second name of a part that has two, as a tied embedding has.
        "parts": {
            name: module_tree(part, stored, inside + name) for name, part in module._modules.items() if part is not None
        },
        # An n-gram model keeps counts, which are no parameters. A table that is computed is not stored at all.
        "tensors": {
            name: stored[inside + name] for name in (*module._parameters, *module._buffers) if inside + name in stored
        },
    }


def _check_text(bundle: Bundle) -> None:
    """Raises an error unless the page can cut the texts of this model."""
    for tokenizer in (bundle.source_tokenizer, bundle.target_tokenizer):
        normaliser = protobuf_field(tokenizer.model_bytes, 3)
        table = protobuf_field(normaliser, 2) if isinstance(normaliser, bytes) else None
        if type(tokenizer) is not Tokenizer or table:
            raise ConfigError(
                f"a live page must have a tokenizer that saccade trained, but this has another. {_ELSEWHERE}"
            )


def _search(search: BeamConfig) -> dict[str, Any]:
    chosen = {name: getattr(search, name) for name in SEARCHED}
    if BeamConfig(**chosen) != BeamConfig(**{**chosen, **_others(search)}):
        raise ConfigError(f"a live page must search by the paper's rules, but this model has others. {_ELSEWHERE}")
    return chosen | {"extra_length": min(search.extra_length, LONGEST)}


def _others(search: BeamConfig) -> dict[str, Any]:
    return {name: getattr(search, name) for name in ("coverage", "stop", "ends", "unscored_prefix")}


def _weights_file(bundle: Bundle) -> bytes:
    """The safetensors file that a model folder has, byte for byte."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.safetensors"
        write_tensors(path, pack(weights_of(bundle.model), bundle.storage))
        return path.read_bytes()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
