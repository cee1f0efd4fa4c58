"""The candidates of a step: the most likely tokens, in an order that nothing but the logits decides."""

from saccade.tracing.options import TraceOptions
from saccade.tracing.trace import trace


def test_of_equally_likely_tokens_the_smaller_comes_first(bundle):
    """A model that has counted nothing finds every token but PAD and BOS equally likely."""
    made = trace(bundle("ngram"), "A", TraceOptions(force="A dog"), "tiny")
    assert [[one["id"] for one in step["top"]] for step in made["steps"]] == [[1, 2, 4, 5, 6]] * len(made["steps"])


def test_more_likely_tokens_come_before_less_likely_ones(bundle):
    made = trace(bundle("transformer"), "A", TraceOptions(force="A dog"), "tiny")
    for step in made["steps"]:
        logits = [one["logit"] for one in step["top"]]
        assert logits == sorted(logits, reverse=True)
        assert len(set(one["id"] for one in step["top"])) == 5
