"""T4 and T6: a task that needs two look-ups at once, with one head and with more."""

import math
from functools import partial

import torch
from torch import Generator, Tensor

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn, share

HEADS = (1, 2, 4)
WIDTH, ITEMS, NAMES, VALUES, STEPS, ROWS = 16, 5, 8, 8, 500, 64
VOCABULARY = NAMES * VALUES + NAMES
"""Every name with every value, and a question for every name."""


def questions(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Names with values, then a name: which value had the item just before, and which the item of that name?"""
    names = torch.rand(rows, NAMES, generator=generator).argsort(dim=1)[:, :ITEMS]
    values = torch.randint(VALUES, (rows, ITEMS), generator=generator)
    asked = torch.randint(ITEMS - 1, (rows, 1), generator=generator)
    tokens = torch.cat([names * VALUES + values, NAMES * VALUES + names.gather(1, asked)], dim=1)
    return tokens, torch.cat([values[:, -1:], values.gather(1, asked)], dim=1)


def measure(generator: Generator, progress: Progress) -> Findings:
    """One attention layer of fixed width; only the number of heads differs."""
    found: dict[str, list[float]] = {"accuracy": [], "keys": [], "roles": []}
    for done, heads in enumerate(HEADS):
        reader = AttentiveReader(VOCABULARY, WIDTH, heads=heads)
        network = Answering(reader, WIDTH, 2 * VALUES)
        learn(network, partial(loss_of, network, generator), STEPS, share(progress, done, len(HEADS)), rate=1e-2)
        tokens, wanted = questions(1000, generator)
        with torch.no_grad(), recording(network) as record:
            found["accuracy"].append(accuracy(answers(network, tokens), wanted))
            found["roles"].append(_roles(network, heads, tokens, wanted))
        weights = record["reader.encoder.layers.0.self_attention"][0][:, :, -1]
        found["keys"].append(torch.special.entr(weights).sum(dim=-1).exp().mean().item())
    return dict(found)


def answers(network: Answering, tokens: Tensor) -> Tensor:
    """The scores of both answers."""
    scores: Tensor = network(tokens)[:, -1].view(-1, 2, VALUES)
    return scores


def loss_of(network: Answering, generator: Generator) -> Tensor:
    """The loss of a batch of new questions."""
    tokens, wanted = questions(ROWS, generator)
    return cross_entropy(answers(network, tokens), wanted)


def _roles(network: Answering, heads: int, tokens: Tensor, wanted: Tensor) -> float:
    """How differently the two answers suffer when one head is silenced: the largest gap between their accuracies."""
    assert isinstance(network.reader, AttentiveReader)
    output = network.reader.encoder.get_parameter("layers.0.self_attention.output.weight")
    gap = 0.0
    for head in range(heads):
        columns = slice(head * WIDTH // heads, (head + 1) * WIDTH // heads)
        kept = output[:, columns].clone()
        output[:, columns] = 0.0
        right = (answers(network, tokens).argmax(dim=-1) == wanted).double().mean(dim=0)
        output[:, columns] = kept
        gap = max(gap, (right[0] - right[1]).abs().item())
    return gap


def judge(measured: Measured) -> Judgement:
    """One head clearly below two and more."""
    right, gap = measured.curve("accuracy"), measured.curve("roles")
    because = (
        f"accuracy with {', '.join(map(str, HEADS))} heads: {listed(right)}; silencing the head that matters most to "
        f"one of the two answers costs it {listed(gap[1:], 2)} more than the other "
        f"({' and '.join(map(str, HEADS[1:]))} heads)."
    )
    clear = all(more - right[0] > 0.05 for more in right[1:])
    return Judgement(Verdict.HOLDS if clear and min(gap[1:]) > 0.1 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy and effective keys against heads."""
    right, keys = figure.subplots(1, 2)
    right.plot(HEADS, measured.curve("accuracy"), "o-")
    right.set(xlabel="heads", ylabel="accuracy", ylim=(0, 1.03), xticks=HEADS)
    keys.plot(HEADS, measured.curve("keys"), "o-")
    keys.set(xlabel="heads", ylabel="keys a head effectively reads", ylim=(0, ITEMS + 1.5), xticks=HEADS)


def judge_resolution(measured: Measured) -> Judgement:
    """Falls as heads are added."""
    keys = measured.curve("keys")
    because = (
        f"a head effectively reads {listed(keys, 2)} of {ITEMS + 1} keys, the exponential of its entropy, with "
        f"{', '.join(map(str, HEADS))} heads. A task of two look-ups needs at least 2 for one head, and 1 for two."
    )
    passed = all(after < before for before, after in zip(keys[:-1], keys[1:], strict=True))
    caveat = keys[1] < keys[0] and not math.isclose(keys[0], keys[1], rel_tol=0.05)
    return Judgement(Verdict.HOLDS if passed else Verdict.CAVEAT if caveat else Verdict.FAILS, because)


CLAIM = Claim(
    id="T4",
    title="Several heads, several relations",
    said="Vaswani et al. 2017, section 3.2.2",
    claim="With several heads a layer attends to several things at once, which a single head averages away.",
    expected=Verdict.HOLDS,
    rule="On a task that needs two look-ups from one position, one by place and one by name, one head has an accuracy "
    "at least 0.05 below that of 2 and of 4 heads at equal width; silencing one head hurts one of the two answers by "
    "at least 0.1 more than the other.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)

RESOLUTION = Claim(
    id="T6",
    title="Averaging and resolution",
    said="Vaswani et al. 2017, sections 2 and 3.2.2",
    claim="Averaging over positions lowers the resolution of attention; more heads bring it back.",
    expected=Verdict.HOLDS,
    rule="On the task of T4, the number of keys a head effectively reads falls with every doubling of the number of "
    "heads; a caveat if it falls from one head to two (by more than 5 %) and not further.",
    changed="The experiment: on the first task of T4, where both look-ups were by name, one head was as good as "
    "several.",
    cost="seconds",
    seeds=3,
    measure=measure,
    judge=judge_resolution,
    plot=plot,
)
