"""A10: “raining” brings the umbrella, “although” does not."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.comparison import above, clearly, verdict, with_error
from saccade.claims.measuring.masked_words import learn_to_fill_in, looks
from saccade.claims.measuring.toy_networks import Answering, AttentiveReader
from saccade.claims.measuring.toy_training import accuracy

SENTENCE = ("although", "it", "was", "raining", "she", "forgot", "her", "umbrella")
CONNECTIVE, WEATHER, VERB, OBJECT = 0, 3, 5, 7
IT, WAS, SHE, HER = 0, 1, 2, 3
ALTHOUGH = 4
KINDS, VERBS = 6, 3
"""So many kinds of weather, each with a thing that goes with it; so many verbs for each connective."""
RAINING = ALTHOUGH + 2
FORGOT = RAINING + KINDS
UMBRELLA = FORGOT + 2 * VERBS
MASK = UMBRELLA + KINDS
VOCABULARY = MASK + 1
WIDTH, LAYERS, HEADS, STEPS, ROWS, TEST = 32, 2, 4, 300, 32, 500


def sentences(rows: int, generator: Generator) -> Tensor:
    """The weather decides what she takes or forgets, and the connective which of the two she does."""
    weather = torch.randint(KINDS, (rows,), generator=generator)
    concessive = torch.randint(2, (rows,), generator=generator)
    verb = torch.randint(VERBS, (rows,), generator=generator)
    fixed = {word: torch.full((rows,), word) for word in (IT, WAS, SHE, HER)}
    columns = (
        ALTHOUGH + concessive,
        fixed[IT],
        fixed[WAS],
        RAINING + weather,
        fixed[SHE],
        FORGOT + VERBS * concessive + verb,
        fixed[HER],
        UMBRELLA + weather,
    )
    return torch.stack(columns, dim=1)


def measure(generator: Generator, progress: Progress) -> Findings:
    """Learns to fill in hidden words; then the object is hidden, and asked where it looks."""
    network = Answering(AttentiveReader(VOCABULARY, WIDTH, layers=LAYERS, heads=HEADS), WIDTH, VOCABULARY)
    tokens = sentences(TEST, generator)
    wanted = tokens[:, OBJECT].clone()
    tokens[:, OBJECT] = MASK
    found: Findings = {}
    _look(network, tokens, "at the start", found)
    learn_to_fill_in(
        network,
        lambda: sentences(ROWS, generator),
        (CONNECTIVE, WEATHER, VERB, OBJECT),
        MASK,
        generator,
        STEPS,
        progress,
    )
    _look(network, tokens, "after learning", found)
    found["weights"] = looks(network, tokens, OBJECT).mean(dim=0).flatten(0, 1).tolist()
    other = tokens.clone()
    other[:, WEATHER] = RAINING + (tokens[:, WEATHER] - RAINING + 1) % KINDS
    unlike = tokens.clone()
    unlike[:, CONNECTIVE] = 2 * ALTHOUGH + 1 - tokens[:, CONNECTIVE]
    with torch.no_grad():
        found["right"] = accuracy(network(tokens)[:, OBJECT], wanted)
        swapped = UMBRELLA + (wanted - UMBRELLA + 1) % KINDS
        found["follows the weather"] = accuracy(network(other)[:, OBJECT], swapped)
        found["keeps with the other connective"] = accuracy(network(unlike)[:, OBJECT], wanted)
    return found


def _look(network: Answering, tokens: Tensor, when: str, found: Findings) -> None:
    """The mean weight of the two words over sentences, layers and heads."""
    mean = looks(network, tokens, OBJECT).mean(dim=(0, 1, 2))
    found[f"weather {when}"], found[f"connective {when}"] = mean[WEATHER].item(), mean[CONNECTIVE].item()


def judge(measured: Measured) -> Judgement:
    """The answer follows the weather; it looks there more than at the connective, and does not follow that."""
    said = {
        f"{word} {when}": with_error(measured.each(f"{word} {when}"), 2)
        for word in ("weather", "connective")
        for when in ("at the start", "after learning")
    }
    because = (
        f"the hidden object gives “raining” {said['weather after learning']} and “although” "
        f"{said['connective after learning']}, mean over heads; before learning "
        f"{said['weather at the start']} and {said['connective at the start']}. With other weather it "
        f"becomes what goes with that in {with_error(measured.each('follows the weather'))} of sentences; with the "
        f"other connective it stays in {with_error(measured.each('keeps with the other connective'))}."
    )
    follows = above(measured, "follows the weather", 0.95)
    passed_over = [
        clearly(measured, "weather after learning", over="connective after learning", by=0.05),
        above(measured, "keeps with the other connective", 0.95),
    ]
    return Judgement(verdict([follows], passed_over), because)


def plot(figure: Figure, measured: Measured) -> None:
    """What the hidden object looks at, head by head."""
    axes = figure.subplots()
    image = axes.imshow(measured.matrix("weights"), cmap="viridis", vmin=0)
    axes.set_xticks(range(len(SENTENCE)), (*SENTENCE[:-1], "…"), rotation=30)
    axes.set_yticks(
        range(LAYERS * HEADS),
        [f"layer {layer + 1}, head {head + 1}" for layer in range(LAYERS) for head in range(HEADS)],
    )
    figure.colorbar(image, ax=axes, label="mean weight from the object")


CLAIM = Claim(
    id="A10",
    title="Rain, umbrella and although",
    said="an introduction to attention by examples",
    claim="In “although it was raining she forgot her umbrella”, “umbrella” is found through “raining”, and “although” "
    "is passed over.",
    expected=Verdict.CAVEAT,
    rule="Trained to fill in hidden words, the answer becomes what goes with other weather, once that is put in, in "
    "more than 0.95 of sentences, by three standard errors over the seeds, else the claim does not hold, or is "
    "undecided. A caveat unless the place of the object clearly gives the weather 0.05 more weight than the "
    "connective, averaged over heads, and the answer clearly stays what it was in more than 0.95 of sentences with "
    "the other connective. Weights before training are reported.",
    changed="The rule: the caveat was to be that it takes training, which says nothing; now it is about weights where "
    "the answers are right. Then again: it had asked for more weight with every seed of three, however little (0.42, "
    "0.44, 0.57 against 0.08, 0.07, 0.06: holds). Then again: it had asked nothing of the answers with the other "
    "connective (with five seeds 1.00, 1.00, 1.00, 0.33 and 0.56 of them stay; by the weights alone: holds).",
    cost="seconds",
    seeds=5,
    measure=measure,
    judge=judge,
    plot=plot,
)
