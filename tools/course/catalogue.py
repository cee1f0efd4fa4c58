"""The figures of the course by file name, each a function that computes its numbers and draws them."""

from collections.abc import Callable

from tools.course import attentions, language_models, measured, shipped_model

FIGURES: dict[str, Callable[[], str]] = {
    "counting-words": language_models.counting,
    "perceptrons": language_models.perceptron,
    "recurrence": language_models.recurrence,
    "forgetting": language_models.forgetting,
    "encoder-decoder": measured.encoder_decoder,
    "attention": shipped_model.attention,
    "scores-and-alignments": attentions.alignments,
}
