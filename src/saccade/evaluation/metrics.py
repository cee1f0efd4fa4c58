"""The catalogue of metrics, by the names that tasks refer to.

Most metrics compare outputs with references. Those of language models score the likelihood of given text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from saccade.errors import ConfigError, did_you_mean
from saccade.evaluation.accuracy import accuracy, exact_match
from saccade.evaluation.bleu import bleu, chrf, compound_split_bleu
from saccade.evaluation.bracket_score import bracket_f1, bracket_precision, bracket_recall, complete_match, well_formed
from saccade.evaluation.error_rates import phoneme_error_rate, word_error_rate
from saccade.evaluation.examples import Example, line_by_line, source_by_source
from saccade.evaluation.forecast_error import scaled_error, seasonal_scaled_error
from saccade.evaluation.lead import lead_chrf
from saccade.evaluation.metric_score import MetricOptions, MetricScore
from saccade.evaluation.perplexity import Likelihood, perplexity, word_perplexity


@dataclass(frozen=True)
class Metric:
    """How lines are grouped into examples, how examples are scored, and whether higher is better."""

    name: str
    arrange: Callable[[Sequence[str], Sequence[str], Sequence[str]], list[Example]]
    measure: Callable[[Sequence[Example], MetricOptions], MetricScore]
    higher_is_better: bool

    def score(
        self,
        sources: Sequence[str],
        hypotheses: Sequence[str],
        references: Sequence[str],
        options: MetricOptions,
    ) -> MetricScore:
        """Scores aligned lines."""
        return self.measure(self.arrange(sources, hypotheses, references), options)


@dataclass(frozen=True)
class LikelihoodMetric:
    """A metric of lines and their likelihoods."""

    name: str
    score: Callable[[Sequence[str], Sequence[Likelihood], MetricOptions], MetricScore]
    higher_is_better: bool = False


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("bleu", line_by_line, bleu, higher_is_better=True),
            Metric("chrf", line_by_line, chrf, higher_is_better=True),
            Metric("compound_split_bleu", line_by_line, compound_split_bleu, higher_is_better=True),
            Metric("lead_chrf", line_by_line, lead_chrf, higher_is_better=True),
            Metric("scaled_error", line_by_line, scaled_error, higher_is_better=False),
            Metric("seasonal_scaled_error", line_by_line, seasonal_scaled_error, higher_is_better=False),
            Metric("accuracy", line_by_line, accuracy, higher_is_better=True),
            Metric("exact_match", line_by_line, exact_match, higher_is_better=True),
            Metric("phoneme_error_rate", source_by_source, phoneme_error_rate, higher_is_better=False),
            Metric("word_error_rate", source_by_source, word_error_rate, higher_is_better=False),
            Metric("bracket_f1", line_by_line, bracket_f1, higher_is_better=True),
            Metric("bracket_precision", line_by_line, bracket_precision, higher_is_better=True),
            Metric("bracket_recall", line_by_line, bracket_recall, higher_is_better=True),
            Metric("complete_match", line_by_line, complete_match, higher_is_better=True),
            Metric("well_formed", line_by_line, well_formed, higher_is_better=True),
        )
    }
)

LIKELIHOOD_METRICS: Mapping[str, LikelihoodMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (LikelihoodMetric("perplexity", perplexity), LikelihoodMetric("word_perplexity", word_perplexity))
    }
)


def find_metric(name: str) -> Metric:
    """The metric of this name."""
    if name not in METRICS:
        raise ConfigError(
            f"`metric` must be one of {', '.join(METRICS)}, but is {name!r}.{did_you_mean(name, METRICS)}"
        )
    return METRICS[name]
