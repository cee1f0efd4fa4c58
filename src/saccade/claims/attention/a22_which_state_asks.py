"""A22: Luong's decoder looks with the state of the position it is at, Bahdanau's with the one before."""

from typing import Any

import torch
from torch import Generator, Tensor, nn

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.models.contract import State, Transducer
from saccade.models.luong import Luong, LuongConfig
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

VOCABULARY, WIDTH = 23, 12


def measure(generator: Generator, progress: Progress) -> Findings:
    """Reads different words in the same state, and the same word in different states; looks whether weights move.

    The word that is read makes the current state. If the weights of that very step know it, the current state asked.
    """
    models: dict[str, Transducer[Any, Any]] = {
        "Bahdanau": RNNsearch(RNNsearchConfig(width=WIDTH), VOCABULARY, VOCABULARY),
        "Luong": Luong(LuongConfig(width=WIDTH, layers=1, alignment="soft", dropout=0.0), VOCABULARY, VOCABULARY),
    }
    source = Sequences.of([[*torch.randint(4, VOCABULARY, (8,), generator=generator).tolist(), EOS]])
    found: Findings = {}
    for done, (name, model) in enumerate(models.items()):
        # As they start, both look everywhere alike, and nothing could move.
        for parameter in model.parameters():
            nn.init.normal_(parameter, std=0.5)
        model.eval()
        with torch.no_grad():
            state = model.start(model.encode(source))
            _, after_one = model.step(torch.tensor([BOS]), state)
            _, after_another = model.step(torch.tensor([5]), state)
            words = [_weights(model, word, after_one) for word in (6, 7)]
            states = [_weights(model, 6, after) for after in (after_one, after_another)]
        found[f"{name}, another word"] = _moved(*words)
        found[f"{name}, another state"] = _moved(*states)
        found[f"{name}, weights"] = [weights.tolist() for weights in words]
        progress((done + 1) / 2)
    return found


def _weights(model: Transducer[Any, Any], word: int, state: State) -> Tensor:
    with recording(model) as record:
        model.step(torch.tensor([word]), state)
    return record[model.alignment_blocks[0]][0].flatten()


def _moved(first: Tensor, second: Tensor) -> float:
    """Half the sum of differences: the weight that has gone elsewhere."""
    return (first - second).abs().sum().item() / 2


def judge(measured: Measured) -> Judgement:
    """Bahdanau's weights must not know the word that is being read, Luong's must."""
    moved = {
        (name, what): measured.each(f"{name}, another {what}")
        for name in ("Bahdanau", "Luong")
        for what in ("word", "state")
    }
    because = "weight that moves when another word is read in the same state: " + ", ".join(
        f"{name} {sum(moved[name, 'word']) / len(measured.seeds):.3f}" for name in ("Bahdanau", "Luong")
    )
    because += "; when the same word is read in another state: " + ", ".join(
        f"{name} {sum(moved[name, 'state']) / len(measured.seeds):.3f}" for name in ("Bahdanau", "Luong")
    )
    still = max(moved["Bahdanau", "word"]) == 0
    rest = min(moved["Luong", "word"] + moved["Luong", "state"] + moved["Bahdanau", "state"]) > 1e-4
    return Judgement(Verdict.HOLDS if still and rest else Verdict.FAILS, because + ".")


def plot(figure: Figure, measured: Measured) -> None:
    """The weights of one step for two words."""
    for axes, name in zip(figure.subplots(1, 2, sharey=True), ("Bahdanau", "Luong"), strict=True):
        for shift, label, weights in zip(
            (-0.2, 0.2), ("one word", "another word"), measured.matrix(f"{name}, weights"), strict=True
        ):
            axes.bar([place + shift for place in range(len(weights))], weights, width=0.38, label=label)
        axes.set(title=name, xlabel="source position")
    figure.axes[0].set_ylabel("weight")
    figure.axes[0].legend()


CLAIM = Claim(
    id="A22",
    title="Which state asks",
    said="Luong et al. 2015, section 3.1, about Bahdanau et al. 2015",
    claim="Luong's attention asks with the decoder's current state, Bahdanau's with the previous one.",
    expected=Verdict.HOLDS,
    rule="With equal states, the weights of a step depend on the word read in it in Luong's model and not at all in "
    "Bahdanau's; with equal words, they depend on the state before in both.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
