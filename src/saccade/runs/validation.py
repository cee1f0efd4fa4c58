"""Validation during training: the likelihood of held-out pairs, and a score of greedy outputs for some of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from saccade.data.batches import evaluation_batches
from saccade.data.config import DataConfig, languages
from saccade.data.prepared_corpus import Prepared
from saccade.decoding.scoring import score_pairs
from saccade.evaluation.evaluate import main_score
from saccade.evaluation.metric_score import MetricOptions
from saccade.evaluation.perplexity import Likelihood, word_perplexity
from saccade.models.contract import Transducer
from saccade.serving.bundle import Bundle
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator
from saccade.training.bookkeeping import Validation

SENTENCES = 500
"""How many sources are translated at each validation: enough to see progress, and quick."""
TOKENS = 4096
"""Padded tokens a side in a batch whose likelihood is computed."""
_TIE = 1e-3


class Validator:
    """Scores a model on the held-out pairs of its corpus. Search is greedy: scores only compare one step with another.

    `as_bundle` puts the tokenizers and settings of the run around the model. With `likelihood_only` nothing is
    translated.
    """

    def __init__(
        self,
        as_bundle: Callable[[Transducer[Any, Any]], Bundle],
        data: DataConfig,
        prepared: Prepared,
        device: torch.device,
        likelihood_only: bool = False,
    ) -> None:
        self.as_bundle = as_bundle
        self.device = device
        self.task = data.does
        self.target_language = languages(data)[1]
        self.store = prepared.valid
        self.pairs = prepared.valid_text
        self.translated = [] if likelihood_only else spread(prepared.valid_text, SENTENCES)

    def __call__(self, model: Transducer[Any, Any], step: int) -> Validation:  # noqa: ARG002 part of the protocol
        """Measures the model as it is now."""
        return self._of_outputs(model) if self.task.has_sources else self._of_text(model)

    def _of_text(self, model: Transducer[Any, Any]) -> Validation:
        """A language model: only the likelihood can be measured."""
        likelihoods: list[Likelihood] = [Likelihood(0.0, 1)] * len(self.store)
        for number, tokens in self._token_log_probabilities(model):
            likelihoods[number] = Likelihood.of([tokens])
        lines = [line for _, line in self.pairs]
        per_word = word_perplexity(lines, likelihoods, MetricOptions(self.target_language))
        loss = Likelihood.total(likelihoods).per_token
        return Validation(loss=loss, score=per_word.merit, measures={per_word.metric: per_word.value})

    def _of_outputs(self, model: Transducer[Any, Any]) -> Validation:
        """The likelihood of the targets, and the task's score of the outputs for some of the sources."""
        likelihood = Likelihood.of(tokens for _, tokens in self._token_log_probabilities(model))
        if not self.translated:
            return Validation(loss=likelihood.per_token, score=-likelihood.per_token)
        translator = Translator([self.as_bundle(model)], self.device)
        greedy = replace(translator.search, size=1, nbest=1, coverage=0.0)
        sources = list(dict.fromkeys(source for source, _ in self.translated))
        outputs = translator.stream(sources, TranslationOptions(search=greedy, truncate=True, first_window=SENTENCES))
        written = {source: output.text for source, output in zip(sources, outputs, strict=True)}
        score = main_score(
            self.task,
            [source for source, _ in self.translated],
            [written[source] for source, _ in self.translated],
            [reference for _, reference in self.translated],
            target_language=self.target_language,
        )
        # Early in training all outputs are nonsense and score alike; then the likelihood decides.
        merit = score.merit - _TIE * likelihood.per_token
        return Validation(loss=likelihood.per_token, score=merit, measures={score.metric: score.value})

    def _token_log_probabilities(self, model: Transducer[Any, Any]) -> Iterator[tuple[int, list[float]]]:
        """The number of each pair, and the log-probability of every token of its target."""
        for numbers, pairs in evaluation_batches(self.store, TOKENS):
            scores = score_pairs(model, pairs.to(self.device)).tolist()
            for number, row, length in zip(numbers.tolist(), scores, pairs.target.mask.sum(1).tolist(), strict=True):
                yield number, row[:length]


def spread(pairs: Sequence[tuple[str, str]], sources: int) -> list[tuple[str, str]]:
    """The pairs of at most this many distinct sources, taken evenly from the whole: corpora are often sorted."""
    distinct = list(dict.fromkeys(source for source, _ in pairs))
    every = max(-(-len(distinct) // sources), 1)
    chosen = set(distinct[::every])
    return [(source, target) for source, target in pairs if source in chosen]
