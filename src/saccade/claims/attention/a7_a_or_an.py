"""A7: which article to write depends on two words of the source, the article and its noun."""

import torch
from torch import Generator, Tensor, nn

from saccade.attention.alignment import Soft
from saccade.attention.scores import Additive
from saccade.attention.single_query import Attention
from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, more_than, opposite, verdict, with_error
from saccade.claims.measuring.toy_training import cross_entropy, learn_until
from saccade.layers.position import sinusoids

NOUNS, VERBS, NAMES, TIMES = 12, 5, 5, 5
UN, LE = 0, 1
NOUN = 2
VERB = NOUN + NOUNS
NAME = VERB + VERBS
TIME = NAME + NAMES
SOURCE_VOCABULARY = TIME + TIMES
A, AN, THE, START = 0, 1, 2, 3
TARGET_NOUN = 4
TARGET_VOCABULARY = SOURCE_VOCABULARY + TARGET_NOUN - NOUN

SENTENCE = ("Ada", "voit", "une", "orange", "aujourd'hui")
TRANSLATION = ("Ada", "sees", "an", "orange", "today")
ARTICLE_AT, NOUN_AT = 2, 3
WIDTH, STEPS, ROWS, TEST = 32, 4000, 64, 1000
LEARNED = 0.99
"""The share of articles that must be right before it is asked where the network looks."""


class Translator(nn.Module):
    """A decoder that looks at the source words as they are: nothing has read them before it.

    An encoder would hand the noun's sound on to the article's state, and looking at one would be looking at both.
    """

    def __init__(self) -> None:
        super().__init__()
        self.source = nn.Embedding(SOURCE_VOCABULARY, WIDTH)
        self.target = nn.Embedding(TARGET_VOCABULARY, WIDTH)
        self.decoder = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.attention = Attention(Additive(WIDTH, WIDTH, WIDTH), Soft())
        self.output = nn.Linear(2 * WIDTH, TARGET_VOCABULARY)

    def forward(self, source: Tensor, reads: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        """The scores of the words at each position, and the weights of the source words that are seen there."""
        states, _ = self.decoder(self.target(reads))
        words = self.source(source)
        keys = words + sinusoids(words.shape[1], WIDTH)
        prepared = self.attention.prepare(keys, words, torch.ones_like(source, dtype=torch.bool))
        scores = self.attention.score(states, prepared.keys).masked_fill(~seen, torch.finfo(states.dtype).min)
        places = torch.arange(reads.shape[1]).unsqueeze(0)
        weights = self.attention.alignment(scores, prepared.real, states, places)
        return self.output(torch.cat([states, weights @ words], dim=-1)), weights


def sentences(rows: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Name, verb, article, noun, time; the English article follows the French one and the noun's first sound."""

    def some(first: int, count: int) -> Tensor:
        return torch.randint(first, first + count, (rows,), generator=generator)

    columns = (some(NAME, NAMES), some(VERB, VERBS), some(UN, 2), some(NOUN, NOUNS), some(TIME, TIMES))
    source = torch.stack(columns, dim=1)
    target = source + (TARGET_NOUN - NOUN)
    # Every second noun begins with a vowel.
    form = torch.where(source[:, NOUN_AT] % 2 == 1, AN, A)
    target[:, ARTICLE_AT] = torch.where(source[:, ARTICLE_AT] == LE, THE, form)
    return source, target


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns to translate; then looks at the weights with which articles are written, and hides words."""
    model = Translator()

    def written(target: Tensor) -> Tensor:
        return torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], dim=1)

    everything = torch.ones(1, len(SENTENCE), len(SENTENCE), dtype=torch.bool)

    def loss() -> Tensor:
        source, target = sentences(ROWS, generator)
        return cross_entropy(model(source, written(target), everything)[0], target)

    def solved() -> bool:
        source, target = sentences(TEST, generator)
        best = model(source, written(target), everything)[0][:, ARTICLE_AT].argmax(dim=-1)
        return bool((best == target[:, ARTICLE_AT]).double().mean() >= LEARNED)

    steps = learn_until(model, loss, solved, STEPS, progress, rate=5e-3)
    source, target = sentences(TEST, generator)
    wanted = target[:, ARTICLE_AT]
    hidden = {"nothing": everything}
    for name, place in (("article", ARTICLE_AT), ("noun", NOUN_AT)):
        hidden[name] = everything.clone()
        hidden[name][:, ARTICLE_AT, place] = False
    found: Findings = {"steps": float(steps)}
    with torch.no_grad():
        for name, seen in hidden.items():
            best = model(source, written(target), seen)[0][:, ARTICLE_AT].argmax(dim=-1)
            found[f"form right, {name} hidden"] = (best == wanted)[wanted != THE].double().mean().item()
            found[f"kind right, {name} hidden"] = ((best == THE) == (wanted == THE)).double().mean().item()
        weights = model(source, written(target), everything)[1].mean(dim=0)
    found["weight on the article"] = weights[ARTICLE_AT, ARTICLE_AT].item()
    found["weight on the noun"] = weights[ARTICLE_AT, NOUN_AT].item()
    found["weights"] = weights.tolist()
    return found


def judge(measured: Measured) -> Judgement:
    """Where the weight is, and what is lost without the noun."""
    article, noun = measured.each("weight on the article"), measured.each("weight on the noun")
    both = [a + b for a, b in zip(article, noun, strict=True)]
    right = {
        (what, hidden): with_error(measured.each(f"{what} right, {hidden} hidden"))
        for what in ("form", "kind")
        for hidden in ("nothing", "article", "noun")
    }
    because = (
        f"when an article is written, the source article has weight {with_error(article, 2)} and its noun "
        f"{with_error(noun, 2)}, both together {with_error(both)}. “a” or “an” is right in "
        f"{right['form', 'nothing']} of cases, and in {right['form', 'noun']} with the "
        f"noun hidden; “the” or not in {right['kind', 'nothing']}, and in "
        f"{right['kind', 'article']} with the article hidden."
    )
    if not above(measured, "form right, nothing hidden", 0.95):
        return Judgement(Verdict.UNDECIDED, because)
    needed = opposite(above(measured, "form right, noun hidden", 0.6))
    together = more_than(both, 0.8)
    decided = None if together is None else True
    return Judgement(verdict([needed, decided], [together]), because)


def plot(figure: Figure, measured: Measured) -> None:
    """Where each word written looks."""
    axes = figure.subplots()
    image = axes.imshow(measured.matrix("weights"), cmap="viridis", vmin=0, vmax=1)
    axes.set_xticks(range(len(SENTENCE)), SENTENCE)
    axes.set_yticks(range(len(SENTENCE)), TRANSLATION)
    figure.colorbar(image, ax=axes, label="mean weight")


CLAIM = Claim(
    id="A7",
    title="“a” or “an”",
    said="a long introduction to attention",
    claim="To write “a” or “an”, a translator must look at two words: the article and the noun after it.",
    expected=Verdict.HOLDS,
    rule="With a decoder that looks at source words nobody has read before it and that has learned to write the right "
    "article, “a” or “an” is right in less than 0.6 of cases (one half is chance) once the noun cannot be looked at, "
    "else the claim does not hold; article and noun together have a weight above 0.8 when the article is written, "
    "else there is a caveat. Each by three standard errors over the seeds; undecided within them, or where “a” or “an” "
    "is not clearly right in more than 0.95 of cases with everything in sight.",
    changed="The experiment: with two articles in a sentence “a” or “an” was right in 0.81 to 0.87 after 400 steps, "
    "and with up to 3,000 steps in 1.00 for two seeds of three and 0.79 to 0.88 for the third; now there is "
    "one article. Then rule and experiment: after 1,000 steps one seed of three had “a” or “an” right in 0.918 only, "
    "and the claim was said not to hold because of it, though hiding the noun left 0.54, 0.49, 0.50. Now it learns "
    "until 0.99 of articles are right, for up to 4,000 steps, and what was not learned decides nothing. Then the "
    "judge: it had said a caveat where the weight of article and noun together is within three standard errors of 0.8, "
    "which its rule calls undecided.",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
