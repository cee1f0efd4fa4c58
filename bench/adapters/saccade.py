"""saccade through its public path: Objective and adam as the training loop uses them, the searches of its translator.

Variants of training: "" as the paper, "attention_dropout" with dropout on attention weights too, as most peers have.
Products are in the type that training chooses on this machine, which may be bfloat16, or in float32 where a variant
begins with that.
Variants of decoding: "" our own search on torch, "int8" the same with products of bytes, "readable" the search it is
tested against, "ctranslate2" the engine of that name inside saccade, in int8, without the shortlist that only a corpus
can give.
"""

import tempfile
from pathlib import Path

import torch

import saccade
from bench import workload
from bench.adapters.teacher_forcing import parameter_count
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.searcher import Searcher
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS
from saccade.training.config import TrainingConfig
from saccade.training.objective import Objective
from saccade.training.optimizer import adam


class Adapter:
    def __init__(self, setup):
        size = setup.size
        self.model = build(size, attention_dropout=size.dropout if "attention_dropout" in setup.variant else 0.0)
        self.info = {
            "version": saccade.__version__,
            "torch": torch.__version__,
            "parameters": parameter_count(self.model),
        }
        if setup.mode == "train":
            precision = "float32" if setup.variant.startswith("float32") else "auto"
            config = TrainingConfig(label_smoothing=size.smoothing, precision=precision)
            autocast = config.autocasts(torch.device("cpu"), packed=True)
            self.info["bfloat16"] = autocast
            self.objective = Objective(self.model, config.label_smoothing, autocast).train()
            self.optimizer = adam(self.model, config)
            for group in self.optimizer.param_groups:
                group["lr"] = 3e-4
        else:
            never_ends(self.model.eval())
            self.search = SEARCHES[setup.variant](self.model, setup)

    def collate(self, batch):
        pairs = Pairs(sequences([source for source, _ in batch]), sequences([target for _, target in batch]))
        return pairs, workload.target_tokens(batch)

    def step(self, batch):
        pairs, tokens = batch
        self.objective.zero_grad(set_to_none=True)
        loss = self.objective(pairs).smoothed / tokens
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def decode(self, group, beam):
        found = self.search(group, BeamConfig(size=beam, extra_length=0))
        return [list(hypotheses[0].tokens) for hypotheses in found]


def build(size, attention_dropout):
    """The model of that size, otherwise the paper's; random weights."""
    config = TransformerConfig(
        encoder_layers=size.layers,
        decoder_layers=size.layers,
        width=size.width,
        inner_width=size.inner,
        heads=size.heads,
        dropout=size.dropout,
        attention_dropout=attention_dropout,
    )
    return Transformer(config, size.vocabulary, size.vocabulary)


def sequences(sentences):
    """With their EOS; every word of the work is an ordinary id here too."""
    return Sequences.of([[*sentence, EOS] for sentence in sentences])


@torch.no_grad()
def never_ends(model):
    """Makes EOS hopeless, so that only the limit ends an output.

    The first coordinate of every final state becomes 1, and EOS, alone, is strongly against it.
    """
    norm = model.decoder.layers[-1].around_feedforward.norm
    norm.weight[0], norm.bias[0] = 0.0, 1.0
    model.output.weight[EOS] = 0.0
    model.output.weight[EOS, 0] = -100.0


def fast(model, setup):  # noqa: ARG001 - every search is asked for alike
    """The search that saccade uses on torch: the one place that says which it is."""
    searcher = Searcher(model)
    return lambda group, config: searcher(sequences(group), config)


def in_int8(model, setup):  # noqa: ARG001
    """The same with products of bytes."""
    searcher = Searcher(model, torch.int8)
    return lambda group, config: searcher(sequences(group), config)


def readable(model, setup):  # noqa: ARG001
    """The search that the fast one is tested against."""
    return lambda group, config: beam_search(model, sequences(group), config)


def through_ctranslate2(model, setup):
    """The engine of `--engine ctranslate2`: exported, int8, a worker a core."""
    from saccade.interop.ctranslate2 import export
    from saccade.serving.batching import SearchInput
    from saccade.serving.ctranslate2_engine import Ctranslate2Engine

    words = Words(setup.size.vocabulary)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "exported"
        export(Exported(model, words), folder, "int8")
        engine = Ctranslate2Engine(
            folder, (words, words), form="int8", workers=setup.threads, maximum_length=model.maximum_length
        )
    return lambda group, config: engine.search([SearchInput(tuple(tokens)) for tokens in group], config)


class Exported:
    """As much of a model folder as an export reads."""

    architecture = "transformer"
    shortlist = None

    def __init__(self, model, words):
        self.model = model
        self.model_config = model.config
        self.source_tokenizer = self.target_tokenizer = words


class Words(Tokenizer):
    """As much of a tokenizer as an engine asks for: every id has a name, and there is no text to cut."""

    def __init__(self, size):
        self.size = size

    def pieces(self, ids):
        return [f"w{token}" for token in ids]


SEARCHES = {"": fast, "int8": in_int8, "readable": readable, "ctranslate2": through_ctranslate2}
