"""The weight of reranking models, chosen on a development set: every n-best list is made and scored once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from saccade.data.tasks import find_task
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.evaluation.evaluate import main_score
from saccade.evaluation.metric_score import MetricScore
from saccade.serving.reranking import combined
from saccade.serving.translation import Candidate
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator

WEIGHTS = tuple(place / 10 for place in range(11))


@dataclass(frozen=True)
class TunedWeight:
    """The score of the outputs that each weight puts first."""

    scores: Mapping[float, MetricScore]

    @property
    def best(self) -> float:
        """The weight of the best score; of equal ones the smallest."""
        return max(self.scores, key=lambda weight: self.scores[weight].merit)

    def to_text(self) -> str:
        """A line for each weight, and the best."""
        metric = self.scores[self.best].metric
        lines = [f"{weight:6.1f}  {score.value:8.2f}" for weight, score in self.scores.items()]
        return "\n".join([f"weight  {metric:>8}", *lines, f"best: --rerank-weight {self.best}"])


def tune_weight(translator: Translator, pairs: Sequence[tuple[str, str]], options: TranslationOptions) -> TunedWeight:
    """Tries every tenth weight of `options.rerank` on sources with their references."""
    if options.rerank is None:
        raise ConfigError("`rerank` must name the models whose weight is tuned, but is missing. Name one.")
    search = options.search or translator.search
    assert isinstance(search, BeamConfig), "reranking is refused with sampling"
    sources = list(dict.fromkeys(source for source, _ in pairs))
    found = translator.stream(sources, replace(options, search=replace(search, nbest=search.size)))
    lists = {source: translation.nbest for source, translation in zip(sources, found, strict=True)}
    references = [reference for _, reference in pairs]
    scores = {}
    for weight in WEIGHTS:
        outputs = [_first(lists[source], weight).text for source, _ in pairs]
        scores[weight] = main_score(
            find_task(translator.task),
            [source for source, _ in pairs],
            outputs,
            references,
            target_language=translator.bundle.target_language,
        )
    return TunedWeight(scores)


def _first(candidates: Sequence[Candidate], weight: float) -> Candidate:
    def score(candidate: Candidate) -> float:
        return candidate.score if candidate.reranked is None else combined(candidate.reranked, weight)

    return max(candidates, key=score)
