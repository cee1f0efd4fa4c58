"""How good a model in training is: the likelihood of held-out pairs, and a score of what it writes for some of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from saccade.data.batches import evaluation_batches
from saccade.data.store import TokenStore
from saccade.data.tasks import find_task
from saccade.decoding.scoring import score_pairs
from saccade.evaluation.evaluate import main_score
from saccade.evaluation.metric_score import MetricOptions
from saccade.evaluation.perplexity import Likelihood, word_perplexity
from saccade.models.contract import Transducer
from saccade.serving.bundle import Bundle
from saccade.serving.translation import Options
from saccade.serving.translator import Translator
from saccade.training.bookkeeping import Validation

SENTENCES = 500
"""How many sources are translated at each validation: enough to see progress, few enough not to wait for."""
TOKENS = 4096
"""Padded tokens a side whose likelihood is computed at once."""
_TIE = 1e-3


class Validator:
    """Scores a model on held-out pairs. Search is greedy, since this only compares one step with another."""

    def __init__(
        self, bundle: Bundle, store: TokenStore, pairs: Sequence[tuple[str, str]], device: torch.device
    ) -> None:
        self.bundle = bundle
        self.store = store
        self.device = device
        self.task = find_task(bundle.task)
        self.pairs = pairs
        self.translated = spread(pairs, SENTENCES)

    def __call__(self, model: Transducer[Any, Any], step: int) -> Validation:  # noqa: ARG002 the loop tells, nobody asks
        """Measures the model as it is now."""
        return self._written(model) if self.task.has_sources else self._found_probable(model)

    def _found_probable(self, model: Transducer[Any, Any]) -> Validation:
        """Text alone: the likelihood is all there is to measure."""
        likelihoods: list[Likelihood] = [Likelihood(0.0, 1)] * len(self.store)
        for number, tokens in self._token_log_probabilities(model):
            likelihoods[number] = Likelihood.of([tokens])
        lines = [line for _, line in self.pairs]
        per_word = word_perplexity(lines, likelihoods, MetricOptions(self.bundle.target_language))
        loss = Likelihood.total(likelihoods).per_token
        return Validation(loss=loss, score=per_word.merit, measures={per_word.metric: per_word.value})

    def _written(self, model: Transducer[Any, Any]) -> Validation:
        """The likelihood of the targets, and the task's score of what the model writes for some of the sources."""
        translator = Translator([replace(self.bundle, model=model)], self.device)
        likelihood = Likelihood.of(tokens for _, tokens in self._token_log_probabilities(model))
        greedy = replace(translator.search, size=1, nbest=1, coverage=0.0)
        sources = list(dict.fromkeys(source for source, _ in self.translated))
        outputs = translator.stream(sources, Options(search=greedy, truncate=True, first_window=SENTENCES))
        written = {source: output.text for source, output in zip(sources, outputs, strict=True)}
        score = main_score(
            self.task,
            [source for source, _ in self.translated],
            [written[source] for source, _ in self.translated],
            [reference for _, reference in self.translated],
            target_language=self.bundle.target_language,
        )
        # Young models all write nonsense and score alike; then the likelihood says which is better.
        merit = score.merit - _TIE * likelihood.per_token
        return Validation(loss=likelihood.per_token, score=merit, measures={score.metric: score.value})

    def _token_log_probabilities(self, model: Transducer[Any, Any]) -> Iterator[tuple[int, list[float]]]:
        """For each pair, by its number, the log-probability of every target token."""
        for numbers, pairs in evaluation_batches(self.store, TOKENS):
            scores = score_pairs(model, pairs.to(self.device)).tolist()
            for number, row, length in zip(numbers.tolist(), scores, pairs.target.mask.sum(1).tolist(), strict=True):
                yield number, row[:length]


def spread(pairs: Sequence[tuple[str, str]], sources: int) -> list[tuple[str, str]]:
    """The pairs of at most so many distinct sources, taken evenly from the whole: corpora are often sorted."""
    distinct = list(dict.fromkeys(source for source, _ in pairs))
    every = max(-(-len(distinct) // sources), 1)
    chosen = set(distinct[::every])
    return [(source, target) for source, target in pairs if source in chosen]
