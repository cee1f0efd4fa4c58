# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Add a model of your own
#
# A model is a class that meets a contract: `encode`, `states`, `logits`, `start`, `step`. Whatever meets it can be
# trained, searched, compared and traced. Here is the smallest language model there is: it sees one word and guesses the
# next, the neural version of [chapter 1](../course/01-counting-words.md)'s table of pairs.

# %%
from dataclasses import dataclass

import torch
from torch import nn

from saccade.models.contract import State
from saccade.models.language_model import LanguageModel
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import EOS


@dataclass(frozen=True, kw_only=True)
class LastWordConfig:
    """One size: how many numbers a word has."""

    width: int = 16
    maximum_length: int = 64


@dataclass(frozen=True)
class LastWordState(State):
    """Nothing is carried but how many rows there are. The first axis of every tensor of a state is the batch."""

    rows: torch.Tensor


class LastWord(LanguageModel[LastWordState]):
    """scores of w_t = U C(w_{t-1})."""

    def __init__(self, config, source_vocabulary, target_vocabulary):
        super().__init__(source_vocabulary, target_vocabulary, config.maximum_length, config.width)
        self.config = config
        self.embedding = nn.Embedding(target_vocabulary, config.width)
        self.output = nn.Linear(config.width, target_vocabulary, bias=False)

    def states(self, reads, memory):
        return self.embedding(reads.tokens)

    def logits(self, states):
        return self.output(states)

    def start(self, memory):
        return LastWordState(torch.zeros_like(memory.lengths))

    def step(self, token, state):
        return self.logits(self.embedding(token)), state


# %% [markdown]
# Four sentences to learn from. Numbers below four are reserved: padding, begin, end, unknown.

# %%
sentences = ["the cat sleeps", "the dog sleeps", "the cat eats the fish", "a dog eats"]
words = sorted(set(" ".join(sentences).split()))
number = {word: 4 + place for place, word in enumerate(words)}
target = Sequences.of([[number[word] for word in sentence.split()] + [EOS] for sentence in sentences])
pairs = Pairs(Sequences.of([[EOS]] * len(sentences)), target)

torch.manual_seed(0)
model = LastWord(LastWordConfig(), 4 + len(words), 4 + len(words))

# %% [markdown]
# **The first test of any model**: writing word by word must give what reading the whole target gives. The project's own
# tests ask this of every model of the catalogue.

# %%
with torch.no_grad():
    memory = model.encode(pairs.source)
    at_once = model.decode(target.reads, memory)
    state, steps = model.start(memory), []
    for token in target.reads.tokens.unbind(1):
        scores, state = model.step(token, state)
        steps.append(scores)
print("stepwise equals at once:", torch.allclose(at_once, torch.stack(steps, dim=1)))

# %% [markdown]
# Train it with saccade's own loss.

# %%
from saccade.training.label_smoothing import smoothed_cross_entropy

optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(201):
    _, states = model.teacher_forced(pairs)
    loss = smoothed_cross_entropy(model.logits(states), target.tokens, target.mask, 0.0).smoothed / target.mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.3f}")

# %% [markdown]
# And search with saccade's own beam search. It asks the model for `encode`, `start` and `step`, and nothing else.

# %%
from saccade.decoding.beam import BeamConfig, beam_search

found = beam_search(model.eval(), Sequences.of([[EOS]]), BeamConfig(size=3, nbest=3, extra_length=6))
for hypothesis in found[0]:
    print(" ".join(words[token - 4] for token in hypothesis.tokens if token >= 4), f"{hypothesis.score:.2f}")

# %% [markdown]
# To make it part of saccade: the class into one file of `src/saccade/models/`, and one line into `ARCHITECTURES` in
# `models/catalogue.py`. Then `saccade train --set model.architecture=...`, comparisons and the tests of the contract all
# know it.
