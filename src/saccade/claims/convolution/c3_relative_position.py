"""C3: a convolution knows where things are relative to each other, not where they are."""

import torch
from torch import Generator, Tensor, nn

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.layers.position import LearnedPositions

LENGTH, WIDTH, LAYERS, KERNEL = 47, 16, 3, 5
SHIFTS = (1, 2, 3, 5, 7, 11)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Moves the input to the right and compares with the output moved likewise, away from the borders."""
    convolutions = nn.Sequential(
        *(layer for _ in range(LAYERS) for layer in (nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=KERNEL // 2), nn.ReLU()))
    )
    positions = LearnedPositions(LENGTH, WIDTH)
    states = torch.randn(LENGTH + SHIFTS[-1], WIDTH, generator=generator)
    border = LAYERS * (KERNEL // 2)

    def plain(x: Tensor) -> Tensor:
        result: Tensor = convolutions(x.T.unsqueeze(0))[0].T
        return result

    def placed(x: Tensor) -> Tensor:
        return plain(x + positions(0, LENGTH))

    found: dict[str, list[float]] = {"plain": [], "with positions": []}
    with torch.no_grad():
        for name, network in (("plain", plain), ("with positions", placed)):
            still = network(states[SHIFTS[-1] :])
            for shift in SHIFTS:
                moved = network(states[SHIFTS[-1] - shift :][:LENGTH])
                inner = slice(border, LENGTH - border - shift)
                found[name].append((moved[shift:][inner] - still[inner]).abs().max().item())
            progress(0.5 if name == "plain" else 1.0)
    return dict(found)


def judge(measured: Measured) -> Judgement:
    """Equal without positions, different with them."""
    plain, placed = measured.largest("plain"), measured.smallest("with positions")
    because = (
        f"after a shift by {', '.join(map(str, SHIFTS))} positions the inner outputs differ by at most {plain:.0e}; "
        f"with learned positions added, by at least {placed:.2f}."
    )
    return Judgement(Verdict.HOLDS if plain < 1e-6 and placed > 1e-3 else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """Largest difference against shift."""
    axes = figure.subplots()
    for name in ("plain", "with positions"):
        axes.semilogy(SHIFTS, [max(value, 1e-9) for value in measured.curve(name)], "o-", label=name)
    axes.axhline(1e-6, linestyle=":", color="gray", label="rule")
    axes.set(xlabel="shift of the input", ylabel="largest difference (at least 1e-9)")
    axes.legend()


CLAIM = Claim(
    id="C3",
    title="Relative, not absolute, position",
    said="introductions to convolutional sequence models",
    claim="A convolutional network sees where words stand relative to each other, but not where they stand in the "
    "sentence.",
    expected=Verdict.HOLDS,
    rule="Away from the borders, a shifted input gives the shifted output to 1e-6; once position vectors are added it "
    "does not (difference above 1e-3). At the borders the padding gives the position away; they are left out.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
