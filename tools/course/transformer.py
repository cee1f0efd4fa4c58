"""Figures of the whole Transformer: where its weights are, and how long its steps are."""

from tools.course.drawing import bars, lines

from saccade.models.transformer import Transformer, TransformerConfig
from saccade.training.config import TrainingConfig
from saccade.training.schedule import learning_rate

PIECES = 37_000
"""The paper's shared vocabulary, section 5.1."""


def parts_of(model: Transformer) -> dict[str, int]:
    """How many weights each part of a model has."""
    parts = {"attention": 0, "feed-forward": 0, "words": 0, "norms": 0}
    for name, weight in model.named_parameters():
        if "embedding" in name:
            parts["words"] += weight.numel()
        elif "norm" in name:
            parts["norms"] += weight.numel()
        else:
            parts["feed-forward" if "feedforward" in name else "attention"] += weight.numel()
    return parts


def weights() -> str:
    """The weights of the base model by part."""
    model = Transformer(TransformerConfig(), PIECES, PIECES)
    millions = {name: count / 1e6 for name, count in parts_of(model).items()}
    return bars("Weights of the base model, in millions", millions)


def schedule() -> str:
    """The learning rate of the first 20,000 steps, times 1,000."""
    kinds = {"with warm-up": TrainingConfig(), "without": TrainingConfig(schedule="without_warmup")}
    steps = [1, *range(500, 20_001, 500)]
    series = {
        name: [(step / 1000, 1000 * learning_rate(step, 512, config)) for step in steps]
        for name, config in kinds.items()
    }
    return lines(
        "Learning rate times 1,000, at width 512",
        series,
        across="steps, in thousands",
        ticks=(0, 4, 8, 12, 16, 20),
        heights=(0, 0.2, 0.4, 0.6, 0.8),
    )
