"""Every architecture saccade knows: one line each. The command line, checkpoints, tests and reports read this."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from saccade.errors import ConfigError, did_you_mean
from saccade.models.contract import Transducer
from saccade.models.convs2s import ConvS2S, ConvS2SConfig
from saccade.models.key_value_predict import KeyValuePredict, KeyValuePredictConfig
from saccade.models.lstmn import LSTMN, LSTMNConfig
from saccade.models.lstmn_language_model import LSTMNLanguageModel, LSTMNLanguageModelConfig
from saccade.models.luong import Luong, LuongConfig
from saccade.models.memory_network import MemoryNetwork, MemoryNetworkConfig
from saccade.models.neural_probabilistic import NeuralProbabilistic, NeuralProbabilisticConfig
from saccade.models.ngram import NGram, NGramConfig
from saccade.models.rctm import RCTM, RCTMConfig
from saccade.models.rnn_encoder_decoder import RNNEncoderDecoder, RNNEncoderDecoderConfig
from saccade.models.rnn_language_model import RNNLanguageModel, RNNLanguageModelConfig
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.models.self_attentive import SelfAttentive, SelfAttentiveConfig
from saccade.models.seq2seq import Sutskever, SutskeverConfig
from saccade.models.state_language_model import StateLanguageModel, StateLanguageModelConfig
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.models.transformer_classifier import TransformerClassifier, TransformerClassifierConfig
from saccade.models.transformer_language_model import TransformerLanguageModel, TransformerLanguageModelConfig
from saccade.papers import PAPERS

Kind = Literal["translation", "language-modelling", "classification"]


@dataclass(frozen=True)
class Architecture:
    """A system of the lineage: what configures it, what builds it, where it comes from, what it can do.

    "translation" stands for every task that makes one sequence of another.
    """

    name: str
    config: type[Any]
    model: Callable[[Any, int, int], Transducer[Any, Any]]
    paper: str
    summary: str
    task: Kind = "translation"


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        Architecture(
            "ngram", NGramConfig, NGram, "chen1999", "counts of word sequences, smoothed", "language-modelling"
        ),
        Architecture(
            "neural-probabilistic",
            NeuralProbabilisticConfig,
            NeuralProbabilistic,
            "bengio2003",
            "words as vectors, and one layer over the last few",
            "language-modelling",
        ),
        Architecture(
            "rnn-language-model",
            RNNLanguageModelConfig,
            RNNLanguageModel,
            "mikolov2010",
            "one vector carries all that was read",
            "language-modelling",
        ),
        Architecture("rctm", RCTMConfig, RCTM, "kalchbrenner2013", "a convolved source, a recurrent target"),
        Architecture(
            "rnn-encoder-decoder",
            RNNEncoderDecoderConfig,
            RNNEncoderDecoder,
            "cho2014",
            "gated recurrent networks with one vector between them",
        ),
        Architecture("seq2seq", SutskeverConfig, Sutskever, "sutskever2014", "two deep LSTMs, source reversed"),
        Architecture(
            "memory-network",
            MemoryNetworkConfig,
            MemoryNetwork,
            "sukhbaatar2015",
            "several looks at the last words, one after another",
            "language-modelling",
        ),
        Architecture(
            "rnnsearch",
            RNNsearchConfig,
            RNNsearch,
            "bahdanau2015",
            "a decoder that looks at the source before each word",
        ),
        Architecture("luong", LuongConfig, Luong, "luong2015", "two deep LSTMs with attention, global or local"),
        Architecture("lstmn", LSTMNConfig, LSTMN, "cheng2016", "LSTMs that read all they have written, and the source"),
        Architecture(
            "lstmn-language-model",
            LSTMNLanguageModelConfig,
            LSTMNLanguageModel,
            "cheng2016",
            "an LSTM that reads all it has written",
            task="language-modelling",
        ),
        Architecture("convs2s", ConvS2SConfig, ConvS2S, "gehring2017", "gated convolutions, attention in every layer"),
        Architecture(
            "key-value-predict",
            KeyValuePredictConfig,
            KeyValuePredict,
            "daniluk2017",
            "an LSTM that looks back over its last outputs",
            "language-modelling",
        ),
        Architecture(
            "self-attentive",
            SelfAttentiveConfig,
            SelfAttentive,
            "lin2017",
            "a sentence as several looks at it",
            "classification",
        ),
        Architecture("transformer", TransformerConfig, Transformer, "vaswani2017", "attention alone, in both stacks"),
        Architecture(
            "transformer-classifier",
            TransformerClassifierConfig,
            TransformerClassifier,
            "vaswani2017",
            "the Transformer's encoder, and the mean of its states",
            "classification",
        ),
        Architecture(
            "transformer-language-model",
            TransformerLanguageModelConfig,
            TransformerLanguageModel,
            "liu2018",
            "the Transformer's decoder alone",
            "language-modelling",
        ),
        Architecture(
            "state-language-model",
            StateLanguageModelConfig,
            StateLanguageModel,
            "sun2024",
            "a list, a vector, or weights that learn while reading",
            "language-modelling",
        ),
    )
}


def architecture(name: str) -> Architecture:
    """The architecture of that name."""
    if name not in ARCHITECTURES:
        raise ConfigError(
            f"`model.architecture` must be one of {', '.join(sorted(ARCHITECTURES))}, but is {name!r}."
            f"{did_you_mean(name, ARCHITECTURES)}"
        )
    return ARCHITECTURES[name]


def by_task() -> dict[Kind, list[Architecture]]:
    """All of them by what they do, the oldest first."""
    kinds: tuple[Kind, ...] = get_args(Kind)
    oldest_first = sorted(ARCHITECTURES.values(), key=lambda known: PAPERS[known.paper].year)
    return {kind: [known for known in oldest_first if known.task == kind] for kind in kinds}


def build(name: str, config: Any, source_vocabulary: int, target_vocabulary: int) -> Transducer[Any, Any]:
    """A new model, its weights drawn from torch's global generator."""
    return architecture(name).model(config, source_vocabulary, target_vocabulary)
