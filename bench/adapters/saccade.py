"""saccade through its public path: Objective and adam as the training loop uses them, the search the translator uses.

Variants of training: "" as the paper, "attention_dropout" with dropout on attention weights too, as most peers have.
"""

import torch

import saccade
from bench import work
from bench.adapters.matrices import size_of
from saccade.decoding.beam import BeamConfig
from saccade.decoding.beam import beam_search as search  # the one place that says which search is measured
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import EOS, Pairs, Sequences
from saccade.training.config import TrainingConfig
from saccade.training.objective import Objective
from saccade.training.optimizer import adam


class Adapter:
    def __init__(self, task):
        size = task.size
        self.model = build(size, attention_dropout=size.dropout if task.variant == "attention_dropout" else 0.0)
        self.info = {
            "version": saccade.__version__,
            "torch": torch.__version__,
            "parameters": size_of(self.model),
        }
        if task.mode == "train":
            config = TrainingConfig(label_smoothing=size.smoothing)
            self.objective = Objective(self.model, config.label_smoothing, autocast=False).train()
            self.optimizer = adam(self.model, config)
            for group in self.optimizer.param_groups:
                group["lr"] = 3e-4
        else:
            never_ends(self.model.eval())

    def collate(self, batch):
        pairs = Pairs(sequences([source for source, _ in batch]), sequences([target for _, target in batch]))
        return pairs, work.target_tokens(batch)

    def step(self, batch):
        pairs, tokens = batch
        self.objective.zero_grad(set_to_none=True)
        loss = self.objective(pairs).smoothed / tokens
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def decode(self, group, beam):
        found = search(self.model, sequences(group), BeamConfig(size=beam, extra_length=0))
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
