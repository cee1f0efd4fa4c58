"""A23: what soft, hard and local attention need in order to find one item."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Alignment, Hard, LocalMonotonic, LocalPredictive, Soft
from saccade.attention.recording import recording
from saccade.attention.scores import General
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict, listed
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import share
from saccade.claims.measuring.variants import Task, everything, learning_curve, right, teach_variant
from saccade.layers.position import sinusoids

ITEMS, WIDTH, CLASSES = 24, 16, 6
STEPS, ROWS, TEST, LOOKS = 600, 64, 1000, 20
OFFSET, REACH = 6, 3
"""In the shifted task the item is so many places after the query's own; and how far windows reach."""

KINDS = (
    "soft",
    "hard",
    "soft, others plausible",
    "hard, others plausible",
    "window too small",
    "window large enough",
    "predicted window",
)


class Finder(nn.Module):
    """One look at a row of items, and a class for what was found."""

    def __init__(self, aligned: Alignment) -> None:
        super().__init__()
        self.attention = Attention(General(2 * WIDTH, WIDTH), aligned)
        self.output = nn.Linear(WIDTH, CLASSES)

    def forward(self, query: Tensor, items: Tensor, places: Tensor) -> Tensor:
        """The scores of the classes."""
        prepared = self.attention.prepare(items[..., :WIDTH], items[..., WIDTH:], everything(items))
        scores: Tensor = self.output(self.attention(query.unsqueeze(1), prepared, places.unsqueeze(1))[:, 0])
        return scores


def one_item(rows: int, generator: Generator, shifted: bool, plausible: bool) -> Task:
    """An item like the query, anywhere or `OFFSET` after the query's own place, among others that are not like it.

    The query knows its own place, as a decoder does. The values of the other items are noise, or also of some class.
    """
    keys, values = torch.randn(2, rows, ITEMS, WIDTH, generator=generator)
    if plausible:
        classes = torch.randint(CLASSES, (rows, ITEMS, 1), generator=generator)
        values = (0.1 * values).scatter_add(2, classes, torch.full((rows, ITEMS, 1), 3.0))
    place = torch.randint(OFFSET, ITEMS, (rows,), generator=generator)
    own = place - OFFSET if shifted else torch.randint(ITEMS, (rows,), generator=generator)
    wanted = torch.randint(CLASSES, (rows,), generator=generator)
    each = torch.arange(rows)
    values[each, place] = 0.1 * torch.randn(rows, WIDTH, generator=generator)
    values[each, place, wanted] += 3.0
    asked = keys[each, place] + 0.1 * torch.randn(rows, WIDTH, generator=generator)
    query = torch.cat([asked, sinusoids(ITEMS, WIDTH)[own]], dim=-1)
    return (query, torch.cat([keys, values], dim=-1), own), wanted


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learning curves of soft and hard attention, and what windows reach."""
    aligned: dict[str, tuple[Alignment, bool]] = {
        "soft": (Soft(), False),
        "hard": (Hard(), False),
        "soft, others plausible": (Soft(), False),
        "hard, others plausible": (Hard(), False),
        "window too small": (LocalMonotonic(REACH), True),
        "window large enough": (LocalMonotonic(OFFSET + 1), True),
        "predicted window": (LocalPredictive(2 * WIDTH, REACH), True),
    }
    found: Findings = {}
    for done, name in enumerate(KINDS):
        alignment, shifted = aligned[name]
        network = Finder(alignment)
        plausible = name.endswith("plausible")
        test = one_item(TEST, generator, shifted, plausible)
        curve: list[float] = []

        def draw(shifted: bool = shifted, plausible: bool = plausible) -> Task:
            return one_item(ROWS, generator, shifted, plausible)

        look = learning_curve(network, test, max(STEPS // LOOKS, 1), curve)
        teach_variant(network, draw, STEPS, share(progress, done, len(KINDS)), enough=look)
        found[f"{name}, curve"] = curve
        found[f"{name}, over training"] = sum(curve) / len(curve)
        found[name] = right(network, test)
        found[f"{name}, reads"] = _reads(network, test)
        if isinstance(alignment, LocalPredictive):
            (query, items, own), _ = test
            with torch.no_grad():
                centre = alignment.centre(query.unsqueeze(1), everything(items), own.unsqueeze(1))[:, 0]
            found["distance of the prediction"] = (centre - own - OFFSET).abs().mean().item()
    found["half a reach"] = REACH / 2
    return found


def _reads(network: Finder, test: Task) -> float:
    """How many values have a weight above zero."""
    with torch.no_grad(), recording(network) as record:
        network(*test[0])
    return (record["attention"][0] > 0).double().sum(-1).mean().item()


def judge(measured: Measured) -> Judgement:
    """Soft learns no slower, hard reads one, a window must hold the item or learn where it is."""
    trained = [f"{name}, over training" for name in KINDS[:4]]
    because = f"right over the whole training: {stated(measured, trained)}. "
    because += f"Right at the end: {stated(measured, KINDS)}. Values read of {ITEMS}: "
    because += f"{stated(measured, ['soft, reads', 'hard, reads'], 1)}. "
    off = measured.each("distance of the prediction")
    near, far = [one for one in off if one < REACH / 2], [one for one in off if one >= REACH / 2]
    because += f"The predicted place is less than D/2 = {REACH / 2} places off with {len(near)} of {len(off)} seeds"
    because += f" ({min(near):.2f} to {max(near):.2f})" if near else ""
    because += f", and {listed(sorted(far), 1)} with the others." if far else "."
    no_slower = clearly(measured, "soft, over training", over="hard, over training", by=-0.02)
    always = clearly(
        measured, "soft, others plausible, over training", over="hard, others plausible, over training", by=-0.02
    )
    one_read = measured.smallest("hard, reads") == measured.largest("hard, reads") == 1
    fails = clearly(measured, "window large enough", over="window too small", by=0.5)
    learns = clearly(measured, "half a reach", over="distance of the prediction", by=0.0)
    return Judgement(verdict([no_slower, one_read, fails, learns], [always]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Learning curves."""
    axes = figure.subplots()
    for name in KINDS:
        curve = measured.curve(f"{name}, curve")
        axes.plot([(look + 1) * STEPS / len(curve) for look in range(len(curve))], curve, label=name)
    axes.axhline(1 / CLASSES, linestyle=":", color="grey", linewidth=1)
    axes.set(xlabel="steps", ylabel="right", ylim=(0, 1.03))
    axes.legend(fontsize=7)


CLAIM = Claim(
    id="A23",
    title="Soft, hard and local",
    said="the survey of Brauwers and Frasincar, and Luong et al. 2015",
    claim="To find one item among many, soft attention learns no slower than hard attention, which reads one value "
    "only; a window that does not reach the item fails, and one that predicts its place learns it.",
    expected=Verdict.HOLDS,
    rule="Averaged over 20 looks during training, soft is at most 2 points below hard; hard gives weight to exactly "
    "one item; where the item is 6 places on, a window of 7 is more than 50 points above a window of 3; and a window "
    "of 3 that predicts its place does so within D/2 = 1.5 on average; each by three standard errors of the mean over "
    "seeds. If soft is not also at most 2 points below hard "
    "where every other item could be the answer, there is a caveat.",
    cost="minutes",
    seeds=12,
    measure=measure,
    judge=judge,
    plot=plot,
)
