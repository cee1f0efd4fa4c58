"""W4: writing is a loop in which each input is the last one and a token more."""

import torch
from torch import Generator, Tensor

from saccade.claims.claim import Claim, Figure, Findings, Judgement, Measured, Progress, Verdict
from saccade.claims.measuring.toy_training import cross_entropy, learn
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS

WORDS = {4: "You", 5: "should", 6: "wear", 7: "shoes", EOS: "end"}
PROMPT, SENTENCE = (4, 5), (4, 5, 6, 7, EOS)


def measure(generator: Generator, progress: Progress) -> Findings:  # noqa: ARG001 the model draws its own weights
    """Teaches a model one sentence, gives it the first two words and keeps every input it is called with."""
    model = Transformer(TransformerConfig(encoder_layers=1, decoder_layers=1, width=16, inner_width=32, heads=2), 8, 8)
    source, target = Sequences.of([[EOS]]), Sequences.of([SENTENCE])

    def loss() -> Tensor:
        return cross_entropy(model.decode(target.reads, model.encode(source)), target.tokens)

    learn(model, loss, 60, progress, rate=1e-2)
    inputs: list[list[int]] = []
    written = list(PROMPT)
    with torch.no_grad():
        memory = model.encode(source)
        while written[-1] != EOS and len(inputs) < 10:
            inputs.append(list(written))
            scores = model.decode(Sequences.of([[BOS, *written]]), memory)
            written.append(int(scores[0, -1].argmax()))
    longer = [len(after) - len(before) for before, after in zip(inputs, inputs[1:], strict=False)]
    kept = [after[: len(before)] == before for before, after in zip(inputs, inputs[1:], strict=False)]
    return {
        "calls": float(len(inputs)),
        "written": [float(token) for token in written],
        "longer by": [float(more) for more in longer],
        "kept": [float(same) for same in kept],
    }


def judge(measured: Measured) -> Judgement:
    """Three calls, one token more each time."""
    written = measured.curve("written")
    calls = measured.each("calls")
    because = (
        f"{calls[0]:.0f} calls wrote “{' '.join(WORDS.get(round(token), '?') for token in written[len(PROMPT) :])}”; "
        f"from call to call the input is the same and {measured.curve('longer by')[0]:.0f} token longer."
    )
    grew = measured.smallest("longer by") == measured.largest("longer by") == 1 and measured.smallest("kept") == 1
    passed = set(calls) == {3} and written == [float(token) for token in SENTENCE] and grew
    return Judgement(Verdict.HOLDS if passed else Verdict.FAILS, because)


def plot(figure: Figure, measured: Measured) -> None:
    """What each call reads and writes."""
    axes = figure.subplots()
    written = [WORDS.get(round(token), "?") for token in measured.curve("written")]
    for call in range(round(measured.each("calls")[0])):
        for place, word in enumerate(written[: len(PROMPT) + call + 1]):
            new = place == len(PROMPT) + call
            axes.text(place, -call, word, ha="center", va="center", weight="bold" if new else "normal")
    axes.set(xlim=(-1, len(written)), ylim=(-3, 1), xticks=[], yticks=[0, -1, -2])
    axes.set_yticklabels(["first call", "second call", "third call"])
    axes.set_title("read, and in bold: written")


CLAIM = Claim(
    id="W4",
    title="The generation loop",
    said="a long introduction to attention",
    claim="Given “You should”, a language model is called three times to write “wear”, “shoes” and the end; from call "
    "to call its input grows by one token.",
    expected=Verdict.HOLDS,
    rule="A model taught the sentence writes exactly these tokens in three calls, and each input is the one before it "
    "with one token more.",
    cost="instant",
    seeds=3,
    measure=measure,
    judge=judge,
    plot=plot,
)
