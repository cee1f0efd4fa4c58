"""The figures of the course by file name, each a function that computes its numbers and draws them."""

from collections.abc import Callable

from tools.course import attentions, language_models, measured, shipped_model, transformer

FIGURES: dict[str, Callable[[], str]] = {
    "counting-words": language_models.counting,
    "perceptrons": language_models.perceptron,
    "recurrence": language_models.recurrence,
    "forgetting": language_models.forgetting,
    "encoder-decoder": measured.encoder_decoder,
    "attention": shipped_model.attention,
    "scores-and-alignments": attentions.alignments,
    "convolution": attentions.convolution,
    "self-attention": shipped_model.self_attention,
    "heads-and-positions": attentions.positions,
    "the-transformer": transformer.weights,
    "training": transformer.schedule,
    "search": measured.length_penalty,
    "what-each-idea-bought": measured.lineage,
    "after-the-paper": measured.recall,
}
