"""A17: the same attention on pieces of pictures and on a signal that goes on in time."""

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from saccade.attention.masks import Visibility
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.toy_training import Both, accuracy, cross_entropy, learn, share, teach, words_right
from saccade.layers.position import LearnedPositions
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.models.transformer import Encoder, TransformerConfig
from saccade.sequences import EOS, Sequences

DIGITS = (
    "111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
    "111100111001111 111100111101111 111001010010010 111101111101111 111101111001111"
)
"""Ten digits, each five rows of three points."""
SIDE, PATCH, NOISE = 12, 3, 0.3
WIDTH, STEPS, ROWS, TEST = 32, 500, 32, 1000

SOUNDS, CODES, FIRST = 8, 3, 4
"""Symbols, and the signals each of them may sound like from moment to moment."""
LONGEST, SHORT, LONG, WRONG = 5, 2, 4, 0.1
"""Symbols of a word, how long each lasts, and the share of moments that sound like anything."""


class PictureReader(nn.Module):
    """Patches as words: a linear map of each, a learned position, a Transformer's encoder, the mean, ten scores."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Linear(PATCH * PATCH, WIDTH)
        self.positions = LearnedPositions((SIDE // PATCH) ** 2, WIDTH)
        self.encoder = Encoder(
            TransformerConfig(encoder_layers=2, width=WIDTH, inner_width=2 * WIDTH, heads=4, dropout=0.0, norm="pre")
        )
        self.output = nn.Linear(WIDTH, 10)

    def forward(self, pictures: Tensor) -> Tensor:
        """The scores of the digits."""
        cut = functional.unfold(pictures.unsqueeze(1), PATCH, stride=PATCH).transpose(1, 2)
        states = self.encoder(self.patches(cut) + self.positions(0, cut.shape[1]), Visibility())
        scores: Tensor = self.output(states.mean(dim=1))
        return scores


def pictures(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Digits somewhere in the picture, each point as large as two by two, under noise."""
    shapes = torch.tensor([[float(point) for point in digit] for digit in DIGITS.split()]).view(10, 5, 3)
    digit = torch.randint(10, (rows,), generator=generator)
    large = shapes[digit].repeat_interleave(2, dim=1).repeat_interleave(2, dim=2)
    canvas = torch.zeros(rows, SIDE, SIDE)
    down = torch.randint(SIDE - 10 + 1, (rows,), generator=generator).tolist()
    right = torch.randint(SIDE - 6 + 1, (rows,), generator=generator).tolist()
    for row, (top, left) in enumerate(zip(down, right, strict=True)):
        canvas[row, top : top + 10, left : left + 6] = large[row]
    return canvas + NOISE * torch.randn(canvas.shape, generator=generator), digit


def signals(rows: int, generator: Generator) -> tuple[Both, list[list[int]]]:
    """Words of sounds and the signal of each, every sound lasting a few moments; and whose each moment is."""
    sources, targets, owners = [], [], []
    for _ in range(rows):
        length = int(torch.randint(2, LONGEST + 1, (1,), generator=generator))
        # No sound twice in a row: how often it was said could not be heard.
        steps = torch.randint(1, SOUNDS, (length,), generator=generator)
        word = steps.cumsum(0) % SOUNDS
        lasting = torch.randint(SHORT, LONG + 1, (length,), generator=generator)
        heard = word.repeat_interleave(lasting)
        codes = CODES * heard + torch.randint(CODES, heard.shape, generator=generator)
        anything = torch.randint(CODES * SOUNDS, heard.shape, generator=generator)
        wrong = torch.rand(heard.shape, generator=generator) < WRONG
        sources.append([*(FIRST + torch.where(wrong, anything, codes)).tolist(), EOS])
        targets.append([*(FIRST + word).tolist(), EOS])
        owners.append(torch.arange(length).repeat_interleave(lasting).tolist())
    return (Sequences.of(sources), Sequences.of(targets)), owners


def measure(generator: Generator, progress: Progress) -> Findings:
    """Digits by attention over patches and by a linear model; sounds by RNNsearch, as if they were a language."""
    found: Findings = {}
    seeing = {"attention": PictureReader(), "linear": nn.Sequential(nn.Flatten(), nn.Linear(SIDE * SIDE, 10))}
    for done, (name, network) in enumerate(seeing.items()):

        def loss(network: nn.Module = network) -> Tensor:
            shown, digit = pictures(ROWS, generator)
            return cross_entropy(network(shown), digit)

        learn(network, loss, STEPS, share(progress, done, 3))
        shown, digit = pictures(TEST, generator)
        with torch.no_grad():
            found[f"digits, {name}"] = accuracy(network(shown), digit)

    model = RNNsearch(RNNsearchConfig(width=32, deviation=0.1), FIRST + CODES * SOUNDS, FIRST + SOUNDS)
    teach(model, lambda: signals(ROWS, generator)[0], STEPS, share(progress, 2, 3))
    both, owners = signals(TEST // 5, generator)
    found["sounds right"] = words_right(model, both)
    with torch.no_grad():
        weights = model.align(both[1], model.encode(both[0]))
    centre = weights @ torch.arange(weights.shape[-1], dtype=weights.dtype)
    onward, steps, inside, words = 0, 0, 0, 0
    for row, whose in enumerate(owners):
        length = whose[-1] + 1
        onward += int((centre[row, 1:length] > centre[row, : length - 1]).sum())
        steps += length - 1
        best = weights[row, :length, : len(whose)].argmax(dim=-1).tolist()
        inside += sum(whose[place] == word for word, place in enumerate(best))
        words += length
    found["onward"], found["inside"] = onward / steps, inside / words
    example = max(range(len(owners)), key=lambda row: len(owners[row]))
    found["example"] = weights[example, : owners[example][-1] + 1, : len(owners[example])].tolist()
    return found


def judge(measured: Measured) -> Judgement:
    """Better than what cannot look, and in order."""
    attention, linear, onward = (measured.each(name) for name in ("digits, attention", "digits, linear", "onward"))
    because = (
        f"digits right, seed by seed: attention over patches {listed(attention)}, a linear model {listed(linear)}. "
        f"Sounds right {listed(measured.each('sounds right'))}; from sound to sound attention moves onward in "
        f"{listed(onward)} of cases, and its largest weight lies within the right sound in "
        f"{listed(measured.each('inside'))}."
    )
    sees = all(one > other for one, other in zip(attention, linear, strict=True))
    hears = min(onward) > 0.9
    if sees and hears:
        return Judgement(Verdict.HOLDS, because)
    return Judgement(Verdict.CAVEAT if sees or hears else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Digits right, and where one word was heard."""
    seen, heard = figure.subplots(1, 2)
    for place, name in enumerate(("attention", "linear")):
        values = measured.each(f"digits, {name}")
        seen.plot([place] * len(values), values, "o", markersize=9, alpha=0.7)
    seen.set(xlim=(-0.5, 1.5), ylim=(0, 1.03), xticks=(0, 1), ylabel="digits right")
    seen.set_xticklabels(["attention", "linear"])
    image = heard.imshow(measured.matrix("example"), cmap="viridis", vmin=0, aspect="auto")
    heard.set(xlabel="moment", ylabel="sound")
    figure.colorbar(image, ax=heard, label="weight")


CLAIM = Claim(
    id="A17",
    title="Pictures and sound",
    said="an introduction to attention by examples",
    claim="The mechanism is not bound to text: it carries over to pictures and to speech.",
    expected=Verdict.HOLDS,
    rule="The encoder of a Transformer over patches tells digits apart better than a linear model trained as long, and "
    "RNNsearch over a signal in time moves onward from symbol to symbol (the mean place of its weights grows) in more "
    "than 0.9 of cases, each with every seed; a caveat if only one of the two is so.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
