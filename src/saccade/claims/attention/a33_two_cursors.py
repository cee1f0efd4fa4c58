"""A33: two cursors and dynamic programming, beside a fixed diagonal and learned attention."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor, nn

from saccade.attention.two_cursors import trajectories
from saccade.claims.attention.a18_diagonal import FIRST, VOCABULARY, in_order, reordered
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import clearly, stated, verdict
from saccade.claims.measuring.toy_training import Both, Line, learn, pairs, share, teach, words_right
from saccade.claims.measuring.variants import plot_variants
from saccade.models.rnnsearch import RNNsearch, RNNsearchConfig
from saccade.special_tokens import EOS
from saccade.weights import parameter_count

WIDTH, LONGEST = 32, 6
STEPS, ROWS, TEST = 250, 32, 200

ATTENDING = {
    "learned": RNNsearchConfig(width=40, deviation=0.1),
    "diagonal": RNNsearchConfig(width=42, alignment="diagonal", deviation=0.1),
}
NAMES = ("two cursors", *ATTENDING)


def any_pace(line: Line) -> Line:
    """Word for word in order, but some words become two and some three."""
    return [new for word, new in zip(line, in_order(line), strict=True) for _ in range(1 + (word - FIRST) % 3)]


CORPORA: dict[str, Callable[[Line], Line]] = {"one to one": in_order, "any pace": any_pace, "reordered": reordered}


class TwoCursors(nn.Module):
    """Recurrent readers of both sentences; for each pair of places a score for writing and a distribution of words."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = (nn.Embedding(VOCABULARY, WIDTH) for _ in range(2))
        self.reader = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.writer = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.from_source = nn.Linear(2 * WIDTH, 2 * WIDTH)
        self.from_target = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.write = nn.Linear(2 * WIDTH, 1)
        self.words = nn.Linear(2 * WIDTH, VOCABULARY)

    def forward(self, both: Both) -> tuple[Tensor, Tensor]:
        """The log-likelihood of each target word, and the probability of every word at each target place."""
        source, target = both
        packed = nn.utils.rnn.pack_padded_sequence(
            self.source(source.tokens), source.lengths, batch_first=True, enforce_sorted=False
        )
        read, _ = nn.utils.rnn.pad_packed_sequence(self.reader(packed)[0], batch_first=True)
        written = self.writer(self.target(target.reads.tokens))[0]
        joint = torch.tanh(self.from_source(read).unsqueeze(1) + self.from_target(written).unsqueeze(2))
        emissions = self.words(joint).log_softmax(-1)
        wanted = target.tokens[:, :, None, None].expand(-1, -1, emissions.shape[2], 1)
        ways = trajectories(self.write(joint).squeeze(-1), emissions.gather(3, wanted).squeeze(3), source.mask)
        return ways.log_likelihood, (ways.weights.unsqueeze(-1) * emissions.exp()).sum(2)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Every system learns every language."""
    found: Findings = {}
    done = 0
    for corpus, translated in CORPORA.items():
        for name in NAMES:

            def draw(rows: int = ROWS, translated: Callable[[Line], Line] = translated) -> Both:
                lengths = torch.randint(2, LONGEST + 1, (rows,), generator=generator).tolist()
                lines = [torch.randint(FIRST, VOCABULARY, (n,), generator=generator).tolist() for n in lengths]
                return pairs(lines, translated)

            part = share(progress, done, len(CORPORA) * len(NAMES))
            if name in ATTENDING:
                model = RNNsearch(ATTENDING[name], VOCABULARY, VOCABULARY)
                teach(model, draw, STEPS, part)
                found[f"{corpus}, {name}"] = words_right(model, draw(TEST))
                found[f"{name}, parameters"] = float(parameter_count(model))
            else:
                cursors = TwoCursors()
                learn(cursors, _loss(cursors, draw), STEPS, part, rate=5e-3)
                found[f"{corpus}, {name}"] = _right(cursors, draw(TEST))
                found[f"{name}, parameters"] = float(parameter_count(cursors))
            done += 1
    return found


def _loss(cursors: TwoCursors, draw: Callable[[], Both]) -> Callable[[], Tensor]:
    def loss() -> Tensor:
        both = draw()
        log_likelihood, _ = cursors(both)
        mean: Tensor = log_likelihood[both[1].mask].mean()
        return -mean

    return loss


def _right(cursors: TwoCursors, both: Both) -> float:
    """As `words_right` for the others."""
    target = both[1]
    words = target.mask & (target.tokens != EOS)
    with torch.no_grad():
        _, probabilities = cursors(both)
    return float((probabilities.argmax(-1) == target.tokens)[words].double().mean())


def judge(measured: Measured) -> Judgement:
    """Two cursors must be ahead of the diagonal at any pace, and behind learned attention where words move."""
    because = "words right: " + ". ".join(
        stated(measured, [f"{corpus}, {name}" for name in NAMES]) for corpus in CORPORA
    )
    sizes = ", ".join(f"{measured.mean(f'{name}, parameters'):,.0f}" for name in NAMES)
    because += f" ({sizes} parameters). Two cursors need a distribution over words for every pair of places."
    follows = clearly(measured, "any pace, two cursors", over="any pace, diagonal", by=0.1)
    lost = clearly(measured, "reordered, learned", over="reordered, two cursors", by=0.05)
    as_good = clearly(measured, "one to one, two cursors", over="one to one, learned", by=-0.05)
    return Judgement(verdict([follows, lost], [as_good]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Seed by seed."""
    plot_variants(figure, measured, {corpus: [f"{corpus}, {name}" for name in NAMES] for corpus in CORPORA}, 1 / 12)


CLAIM = Claim(
    id="A33",
    title="Two cursors",
    said="a long introduction to attention, of what Bahdanau tried first",
    claim="Two cursors that dynamic programming moves through both sentences follow a translation at any pace, as a "
    "fixed diagonal does not, but not one in another order, as learned attention does.",
    expected=Verdict.HOLDS,
    rule="Where words become one, two or three words, two cursors get at least 10 points more words right than fixed "
    "diagonal attention; where words move to the end of the sentence, learned attention gets at least 5 points more "
    "right than two cursors; both by three standard errors of the mean over seeds. If two cursors are more than 5 "
    "points below learned attention word for word, or the seeds do not say, there is a caveat.",
    cost="minutes",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
