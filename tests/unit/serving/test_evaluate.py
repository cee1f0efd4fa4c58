import pytest

from saccade.data.tasks import find_task
from saccade.errors import ConfigError, InputError, TreeError
from saccade.serving.evaluate import evaluate_model, evaluate_outputs
from saccade.serving.loading import load
from saccade.serving.translation_options import TranslationOptions

PAIRS = [
    ("A dog runs.", "She reads in the street."),
    ("She reads.", "A dog runs behind the school."),
    ("A dog runs.", "Two men are talking."),
]


@pytest.fixture(scope="module")
def translator(folder):
    return load(folder, device="cpu")


def test_a_model_is_scored_on_what_it_translates(translator):
    evaluated = evaluate_model(translator, PAIRS, TranslationOptions())
    assert list(evaluated.outputs) == translator.translate([source for source, _ in PAIRS])
    expected = evaluate_outputs(
        find_task("translation"), [s for s, _ in PAIRS], evaluated.outputs, [t for _, t in PAIRS], "xx"
    )
    assert evaluated.report.scores == expected.scores


def test_perplexity_is_that_of_the_references(translator):
    likelihood = evaluate_model(translator, PAIRS, TranslationOptions()).report.likelihood
    scored = translator.score(PAIRS)
    assert likelihood.tokens == sum(one.tokens for one in scored)
    assert likelihood.negative_log_likelihood == pytest.approx(-sum(one.log_probability for one in scored))


def test_without_sources_there_is_no_table_by_their_length():
    report = evaluate_outputs(find_task("translation"), None, ["a b c d"], ["a b c d"])
    assert report.buckets == ()
    assert report["exact_match"].value == 100


def test_pronunciations_need_their_sources():
    with pytest.raises(ConfigError, match="`--source` must be given to evaluate pronunciation"):
        evaluate_outputs(find_task("pronunciation"), None, ["K AE T"], ["K AE T"])


def test_a_word_is_right_if_any_of_its_lines_says_so():
    report = evaluate_outputs(find_task("pronunciation"), ["read", "read"], ["R IY D", "R IY D"], ["R EH D", "R IY D"])
    assert report["word_error_rate"].value == 0
    assert report["word_error_rate"].examples == 1


def test_nothing_to_evaluate_is_refused(translator):
    with pytest.raises(InputError, match="at least one"):
        evaluate_model(translator, [], TranslationOptions())


def test_trees_need_no_sources_since_they_have_their_words():
    tree = "(TOP (NP (NN cell)))"
    report = evaluate_outputs(find_task("parsing"), None, [tree, "(NP NN"], [tree, tree])
    assert report["well_formed"].value == 50
    with pytest.raises(TreeError, match="`reference:2` must be a bracketed tree"):
        evaluate_outputs(find_task("parsing"), None, [tree, tree], [tree, "cell"])
