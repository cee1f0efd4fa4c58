"""Errors of forecasts of whole numbers, beside the forecasts that anybody can make.

    scaled error = sum |y - forecast| / sum |y - last value of the source|, in percent

To repeat the last value has 100 by definition (Hyndman and Koehler 2006 scale errors so). The seasonal forecast repeats
the values of one period ago; the period is the lag at which the source is most like itself.
"""

from collections.abc import Sequence

from saccade.errors import InputError
from saccade.evaluation.examples import Example
from saccade.evaluation.metric_score import MetricOptions, MetricScore, ratio_score


def scaled_error(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The error of the outputs; a value that is missing, or no number, counts as the last value of the source."""
    counts = []
    for example in examples:
        source, target = _values(example.source), _values(example.references[0])
        written = [int(word) if _is_number(word) else source[-1] for word in example.hypothesis.split()]
        counts.append(_errors(source, target, (written + [source[-1]] * len(target))[: len(target)]))
    return _score("scaled_error", "error, last value = 100", counts, options, "missing:last-value")


def seasonal_scaled_error(examples: Sequence[Example], options: MetricOptions) -> MetricScore:
    """The error of repeating the last period; the outputs do not matter."""
    counts = []
    for example in examples:
        source, target = _values(example.source), _values(example.references[0])
        counts.append(_errors(source, target, seasonal_forecast(source, len(target))))
    return _score("seasonal_scaled_error", "error of the last period", counts, options, "seasonal")


def seasonal_forecast(source: Sequence[int], length: int) -> list[int]:
    """The values of one period ago; the period is the lag of the smallest mean difference, of equals the shortest."""
    lags = range(2, max(len(source) // 2, 2) + 1)

    def difference(lag: int) -> float:
        pairs = list(zip(source[lag:], source, strict=False))
        return sum(abs(later - earlier) for later, earlier in pairs) / len(pairs) if pairs else float("inf")

    period = min(min(lags, key=difference), len(source))
    return [source[len(source) - period + place % period] for place in range(length)]


def _errors(source: Sequence[int], target: Sequence[int], forecast: Sequence[int]) -> tuple[int, int]:
    ours = sum(abs(value - guess) for value, guess in zip(target, forecast, strict=True))
    return ours, sum(abs(value - source[-1]) for value in target)


def _score(name: str, label: str, counts: list[tuple[int, int]], options: MetricOptions, rule: str) -> MetricScore:
    return ratio_score(name, label, counts, options, rule=rule, higher_is_better=False)


def _values(line: str) -> list[int]:
    words = line.split()
    if not words or not all(map(_is_number, words)):
        raise InputError(f"a time series must be whole numbers separated by spaces, but is {line[:60]!r}.")
    return [int(word) for word in words]


def _is_number(word: str) -> bool:
    return word.removeprefix("-").isdecimal() and word.isascii()
