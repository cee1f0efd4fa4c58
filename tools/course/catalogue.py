"""The figures of the course by file name, each a function that computes its numbers and draws them."""

from collections.abc import Callable

from tools.course import language_models

FIGURES: dict[str, Callable[[], str]] = {
    "counting-words": language_models.counting,
    "perceptrons": language_models.perceptron,
}
