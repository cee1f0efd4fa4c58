"""T25: attention as a filter, with ever more that is to be left out."""

import torch
from torch import Generator, Tensor

from saccade.attention.recording import recording
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import Answer, above, every
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy, cross_entropy, learn_until, share

SIGNALS, CLASSES, NOISE = 2, 4, 16
"""Words that count in a sentence, the kinds of them, and kinds of words that do not."""
ASKING = CLASSES + NOISE
TRAINED, RATIOS = 8, (1, 2, 4, 8, 16, 32, 64)
"""Words of noise for each word that counts: the most in training, and in the tests."""
WIDTH, STEPS, ROWS, TEST = 32, 3000, 32, 400
RIGHT, KEPT = 0.9, 0.9


def sentences(rows: int, ratio: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Two words that count among noise, and a token that asks for the sum of their kinds."""
    length = SIGNALS * (1 + ratio)
    tokens = CLASSES + torch.randint(NOISE, (rows, length), generator=generator)
    places = torch.rand(rows, length, generator=generator).argsort(dim=1)[:, :SIGNALS]
    kinds = torch.randint(CLASSES, (rows, SIGNALS), generator=generator)
    tokens.scatter_(1, places, kinds)
    asking = torch.full((rows, 1), ASKING)
    return torch.cat([tokens, asking], dim=1), kinds.sum(dim=1) % CLASSES


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns with up to eight words of noise for each that counts; then there is more of it."""
    reader = AttentiveReader(ASKING + 1, WIDTH, heads=2, positions="none")
    network = Answering(reader, WIDTH, CLASSES)
    validation = sentences(TEST, TRAINED, generator)

    def loss() -> Tensor:
        ratio = int(torch.randint(1, TRAINED + 1, (), generator=generator))
        tokens, wanted = sentences(ROWS, ratio, generator)
        return cross_entropy(network(tokens)[:, -1], wanted)

    def solved() -> bool:
        return accuracy(network(validation[0])[:, -1], validation[1]) >= 0.98

    found: Findings = {"steps": float(learn_until(network, loss, solved, STEPS, share(progress, 0, 1)))}
    right, kept = [], []
    for ratio in RATIOS:
        tokens, wanted = sentences(TEST, ratio, generator)
        with torch.no_grad(), recording(network) as record:
            right.append(accuracy(network(tokens)[:, -1], wanted))
        (weights,) = record["reader.encoder.layers.0.self_attention"]
        # Relative to what is read of the others at all: a head may also rest on the question.
        signal = (weights[:, :, -1] * (tokens < CLASSES).unsqueeze(1)).sum(dim=-1)
        noise = (weights[:, :, -1] * ((tokens >= CLASSES) & (tokens < ASKING)).unsqueeze(1)).sum(dim=-1)
        kept.append((signal / (signal + noise)).mean().item())
    found |= {"right": right, "kept": kept}
    for when, ratio in (("in training", TRAINED), ("beyond", RATIOS[-1])):
        place = RATIOS.index(ratio)
        found[f"right, {when}"], found[f"kept, {when}"] = right[place], kept[place]
    return found


def judge(measured: Measured) -> Judgement:
    """Filtered where it was trained, and also beyond?"""
    because = (
        f"with {', '.join(map(str, RATIOS))} words of noise for each that counts, trained with up to {TRAINED}: right "
        f"{listed(measured.curve('right'))}; share of attention on what counts {listed(measured.curve('kept'))}."
    )
    unlearned = sum(steps > STEPS for steps in measured.each("steps"))
    if unlearned:
        because += f" Of {len(measured.seeds)} seeds {unlearned} had not learned it after {STEPS:,} steps."
        return Judgement(Verdict.UNDECIDED, because)
    within, beyond = (_filtered(measured, when) for when in ("in training", "beyond"))
    if within is not True:
        return Judgement(Verdict.UNDECIDED if within is None else Verdict.FAILS, because)
    outcome = {True: Verdict.HOLDS, False: Verdict.CAVEAT, None: Verdict.UNDECIDED}
    return Judgement(outcome[beyond], because)


def _filtered(measured: Measured, when: str) -> Answer:
    return every([above(measured, f"right, {when}", RIGHT), above(measured, f"kept, {when}", KEPT)])


def plot(figure: Figure, measured: Measured) -> None:
    """Accuracy and weight against noise."""
    axes = figure.subplots()
    axes.semilogx(RATIOS, measured.curve("right"), "o-", base=2, label="right")
    axes.semilogx(RATIOS, measured.curve("kept"), "o-", base=2, label="attention on what counts")
    axes.semilogx(RATIOS, [1 / (1 + ratio) for ratio in RATIOS], "--", base=2, color="gray", label="an even share")
    axes.axvline(TRAINED, linestyle=":", color="gray", label="most noise in training")
    axes.set(xlabel="words of noise for each that counts", ylim=(0, 1.03))
    axes.legend()


CLAIM = Claim(
    id="T25",
    title="Attention as a filter",
    said="an introduction to the Transformer",
    claim="Attention is a filter that keeps what is relevant and drops noise.",
    expected=Verdict.CAVEAT,
    rule="Two words that count stand among up to eight times as many that do not. Once that is learned (0.98 "
    "right), more than 0.9 of what the asking position attends to among them is on the two, and more than 0.9 "
    "of answers are right, by three standard errors, with eight times as much noise, else the claim does not "
    "hold; a caveat if with 64 times as much, which was never in training, one of them is clearly less; "
    "undecided where the seeds do not say.",
    cost="minutes",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
