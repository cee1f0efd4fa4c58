import gc
import json
import math
import subprocess
import sys
import weakref
from itertools import count, islice

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import saccade
from saccade.data.tokenizer import Tokenizer
from saccade.decoding.beam import BeamConfig
from saccade.decoding.constraints import impossible
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError, InputError, LineError, MemoryFullError, RunError
from saccade.models.catalogue import build
from saccade.serving.batching import SearchInput
from saccade.serving.bundle import Bundle
from saccade.serving.loading import load
from saccade.serving.stable_scores import rounded
from saccade.serving.translation_options import TranslationOptions
from saccade.serving.translator import Translator

LINES = [
    "Two men are talking.",
    "",
    "A dog runs behind the old school.",
    "   ",
    "She reads.",
    "The children play football on the grass this year.",
    "中文 🙂 العربية",
]


@pytest.fixture(scope="module")
def translator(folder) -> Translator:
    return load(folder, device="cpu", engine="torch")


def test_the_package_offers_it_by_name(folder):
    assert isinstance(saccade.load(str(folder), device="cpu"), saccade.Translator)


def test_translations_come_in_order_and_empty_lines_stay_empty(translator):
    whole = translator.translate(LINES)
    assert whole == [text for line in LINES for text in translator.translate([line])]
    assert [bool(text.strip()) for text in whole] == [bool(line.strip()) for line in LINES]


SEARCHES = (BeamConfig(size=3, extra_length=5), SamplingConfig(temperature=0.8, extra_length=5))


@pytest.fixture(scope="module")
def together(translator):
    return {search: list(translator.stream(LINES, TranslationOptions(search=search, seed=3))) for search in SEARCHES}


@pytest.mark.slow
@settings(max_examples=2, deadline=None)
@given(batch_tokens=st.integers(1, 400), window=st.integers(1, 9))
def test_no_translation_depends_on_its_batch(translator, together, batch_tokens, window):
    for search, expected in together.items():
        changed = TranslationOptions(search=search, seed=3, batch_tokens=batch_tokens, window=window)
        for one, other in zip(expected, translator.stream(LINES, changed), strict=True):
            assert (other.number, other.source, other.text) == (one.number, one.source, one.text)
            assert math.isclose(other.log_probability, one.log_probability, rel_tol=1e-4, abs_tol=1e-4)


def test_an_endless_input_is_read_one_window_at_a_time(translator):
    read = 0

    def endless():
        nonlocal read
        for number in count():
            read += 1
            yield f"dog {number}"

    found = list(islice(translator.stream(endless(), TranslationOptions(window=5, search=BeamConfig(size=1))), 7))
    assert [translation.source for translation in found] == [f"dog {number}" for number in range(7)]
    assert read == 10


def test_a_window_of_one_answers_before_it_reads_on(translator):
    asked = []

    def lines():
        for line in ("dog", "men"):
            asked.append(line)
            yield line

    next(translator.stream(lines(), TranslationOptions(window=1)))
    assert asked == ["dog"]


def test_a_line_too_long_is_named_after_those_before_it_are_given(translator):
    stream = translator.stream(["A dog runs.", "She reads.", "dog " * 100, "She reads."])
    assert [next(stream).number, next(stream).number] == [1, 2]
    with pytest.raises(InputError, match=r"line 3 must have a source of at most 63 tokens.*Split it, or .*--truncate"):
        next(stream)


def test_truncating_keeps_the_beginning(translator, tokenizer):
    line = " ".join(["dog"] * 100)
    kept = tokenizer.decode(tokenizer.encode([line])[0][:63])
    assert translator.translate([line], truncate=True) == translator.translate([kept])


def test_beam_and_alpha_replace_what_the_model_was_saved_with(translator):
    assert translator.beam_search() == BeamConfig(size=3, alpha=0.6, extra_length=7)
    assert translator.beam_search(size=1, alpha=0.0) == BeamConfig(size=1, alpha=0.0, extra_length=7)
    greedy = list(translator.stream(LINES, TranslationOptions(search=translator.beam_search(size=1))))
    found = translator.translate(LINES, beam=1, split_sentences=False, protect=False)
    assert found == [translation.text for translation in greedy]


def test_a_prefix_begins_the_translation(translator):
    assert all(text.startswith("The birds") for text in translator.translate(LINES[:1], prefix="The birds"))
    one, other = translator.translate(["dog", "men"], prefix=["The", "Nobody knows"])
    assert one.startswith("The")
    assert other.startswith("Nobody knows")


def test_bytes_that_spell_nothing_are_neither_text_nor_words_and_a_prefix_may_be_spelled_in_bytes(translator):
    random = SamplingConfig(temperature=9.0, extra_length=9)
    lines = ["中文 🙂 dog"] * 4
    for found in translator.translate_batch(
        lines, prefix="🙂 文", sampling=random, alignment=True, split_sentences=False
    ):
        assert found.text.startswith("🙂 文")
        assert "\ufffd" not in found.text
        assert list(found.alignment.target_words) == found.text.split()
        assert list(found.alignment.source_words) == ["中文", "🙂", "dog"]


def test_prefixes_must_be_as_many_as_texts(translator):
    with pytest.raises(InputError, match="`prefix` must be one text or 2, but there are 1"):
        translator.translate(["dog", "men"], prefix=["The"])


def test_one_text_has_one_translation_and_a_list_has_a_list(translator):
    assert [translator.translate("A dog runs.")] == translator.translate(["A dog runs."])
    assert translator.translate([]) == []


def test_nbest_gives_up_to_so_many_texts_of_each(translator):
    both = translator.translate(["A dog runs.", "She reads."], nbest=3)
    assert both == [translator.translate(text, nbest=3) for text in ("A dog runs.", "She reads.")]
    assert [texts[0] for texts in both] == translator.translate(["A dog runs.", "She reads."])
    assert translator.translate("A dog runs.", nbest=1) == [translator.translate("A dog runs.")]


def test_a_batch_tells_everything(translator):
    one, other = translator.translate_batch(["A dog runs.", "She reads."], nbest=2, alignment=True)
    assert (one.number, one.source, other.number) == (1, "A dog runs.", 2)
    assert one.score == one.nbest[0].score > one.nbest[1].score
    assert one.alignment.source_words == ("A", "dog", "runs.")
    assert one.error is None


@pytest.mark.slow
def test_python_can_sample_as_the_command_line_does(translator):
    settings = SamplingConfig(temperature=0.8)
    options = TranslationOptions(search=settings, seed=5)
    expected = [found.text for found in translator.stream(LINES, options)]
    found = translator.translate(LINES, sampling=settings, seed=5, split_sentences=False, protect=False)
    assert found == expected
    with pytest.raises(ConfigError, match="`beam` must not come with `sampling`"):
        translator.translate("dog", sampling=settings, beam=3)


def test_what_cannot_be_translated_is_skipped_or_copied(translator):
    texts = ["A dog runs.", "dog " * 100, "She reads."]
    good = translator.translate(texts[::2])
    whole = {"split_sentences": False}
    assert translator.translate(texts, on_error="skip", **whole) == [good[0], "", good[1]]
    assert translator.translate(texts, on_error="copy", **whole) == [good[0], texts[1].strip(), good[1]]
    found = translator.translate_batch(texts, on_error="skip", **whole)
    assert [one.error and one.error.reason for one in found] == [None, "too long", None]
    assert "line 2 must have a source of at most 63 tokens" in str(found[1].error)
    assert "error" in repr(found[1])
    assert [one.truncated for one in translator.translate_batch(texts, truncate=True)] == [False, True, False]


def test_one_line_that_the_search_cannot_do_leaves_the_others_alone(translator, monkeypatch):
    searched = type(translator.engines[0]).search

    def search(self, inputs, config, batch_tokens=None):
        if any(len(one.tokens) > 15 for one in inputs):
            raise impossible()
        return searched(self, inputs, config, batch_tokens)

    monkeypatch.setattr(type(translator.engines[0]), "search", search)
    short, long = "A dog runs.", "The children play football on the grass this year."
    found = translator.translate_batch([short, long, short], on_error="skip")
    assert [one.error and one.error.reason for one in found] == [None, "no output", None]
    assert found[0].text == found[2].text == translator.translate(short)
    with pytest.raises(RunError):
        translator.translate([short, long], on_error="stop")
    with pytest.raises(LineError, match="line 1"):  # not one of them: it is not for the sentences
        translator.translate(long)
    with pytest.warns(UserWarning, match="A sentence was copied: line 1"):
        assert translator.translate(f"{short}\n  {long}") == f"{found[0].text}\n  {long}"


def test_a_line_that_is_no_text_stops_after_those_before_it(translator):
    bad = LineError("`a:2` must be UTF-8", "not UTF-8", "b\ufffd")
    stream = translator.stream(["A dog runs.", bad, "She reads."])
    assert next(stream).number == 1
    with pytest.raises(LineError, match="must be UTF-8"):
        next(stream)
    found = list(translator.stream(["A dog runs.", bad, "She reads."], TranslationOptions(on_error="copy")))
    assert [one.number for one in found] == [1, 2, 3]
    assert (found[1].text, found[1].error) == ("b\ufffd", bad)


def test_lines_are_counted_from_any_number(translator):
    (found,) = translator.stream(["A dog runs."], TranslationOptions(search=SamplingConfig()), first=3)
    *_, last = translator.stream(["A dog runs."] * 3, TranslationOptions(search=SamplingConfig()))
    assert (found.number, found.text) == (last.number, last.text)


@pytest.mark.slow
def test_segmentations_of_one_text_are_one_candidate(translator):
    (found,) = translator.stream(["A dog runs."], TranslationOptions(search=BeamConfig(size=24, nbest=24)))
    assert len(set(found.texts)) == len(found.texts) > 1
    hypotheses = translator.engine().search([_input(translator, "A dog runs.")], BeamConfig(size=24, nbest=24))[0]
    texts = [translator.target_tokenizer.decode(one.tokens) for one in hypotheses]
    assert len(set(texts)) < len(texts), "this model must offer the same text twice, or nothing is tested"
    assert found.texts == list(dict.fromkeys(texts))
    assert found.score == hypotheses[0].score


def _input(translator, text):
    return SearchInput(tuple(translator.source_tokenizer.encode([text])[0]))


def test_a_representation_says_what_the_model_is(folder, translator):
    shown = repr(translator)
    for part in (str(folder), "translation en-xx", "transformer", "parameters", "torch", "cpu"):
        assert part in shown


def test_results_have_short_representations(translator):
    (found,) = translator.translate_batch(["A dog runs."], nbest=2)
    assert repr(found).startswith("Translation(1, 'A dog runs.' -> ")
    assert "nbest=2" in repr(found)
    assert repr(found.nbest[0]).startswith("Candidate(")
    assert repr(translator.score([("A", "B")])[0]).startswith("Scored(log_probability=-")


def test_the_package_lists_its_public_names():
    assert set(saccade.__all__) <= set(dir(saccade))
    assert all(getattr(saccade, name) is not None for name in saccade.__all__)


def test_nbest_are_ordered_and_distinct(translator):
    (found,) = translator.stream(["A dog runs."], TranslationOptions(search=translator.beam_search(size=8, nbest=3)))
    scores = [candidate.score for candidate in found.nbest]
    assert len(found.nbest) == 3
    assert scores == sorted(scores, reverse=True)
    assert found.text == found.nbest[0].text


def test_forced_tokens_have_the_probability_that_scoring_gives_them(translator, tokenizer):
    prefix = "The birds came back"
    forced = len(tokenizer.encode([prefix])[0])
    (found,) = translator.stream(["A dog runs."], TranslationOptions(search=BeamConfig(size=1)), prefix)
    (scored,) = translator.score([("A dog runs.", prefix)])
    assert torch.allclose(
        torch.tensor(found.nbest[0].token_log_probabilities[:forced]),
        torch.tensor(scored.token_log_probabilities[:forced]),
        atol=1e-4,
    )


def test_scores_do_not_depend_on_their_batch_and_keep_their_order(translator):
    pairs = [("A dog runs.", "She reads."), ("", "x"), ("men", ""), ("Two men are talking in the street.", "dog")]
    together = translator.score(pairs)
    for pair, scored in zip(pairs, together, strict=True):
        (alone,) = translator.score([pair])
        assert scored.tokens == alone.tokens
        assert torch.allclose(
            torch.tensor(scored.token_log_probabilities), torch.tensor(alone.token_log_probabilities), atol=1e-4
        )
        assert math.isclose(scored.log_probability, sum(scored.token_log_probabilities), rel_tol=1e-9)


def test_scoring_a_pair_too_long_names_its_line(translator):
    with pytest.raises(InputError, match="line 2 must have a target of at most 63 tokens"):
        translator.score([("dog", "dog"), ("dog", "dog " * 100)])


@pytest.mark.slow
def test_sampling_is_repeatable_and_differs_between_lines_and_seeds(translator):
    def draw(seed):
        options = TranslationOptions(search=SamplingConfig(), seed=seed)
        return [translation.text for translation in translator.stream(["A dog runs."] * 3, options)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert len(set(draw(1))) == 3


def test_alignment_links_every_target_word(translator):
    for found in translator.stream(LINES, TranslationOptions(alignment=True, search=translator.beam_search(nbest=2))):
        for candidate in found.nbest:
            alignment = candidate.alignment
            assert alignment.source_words == tuple(found.source.split())
            # An untrained model also writes spaces as bytes, inside what the tokenizer holds for one word.
            assert " ".join(" ".join(alignment.target_words).split()) == candidate.text
            assert [target for _, target in alignment.links] == list(range(len(alignment.target_words)))


def test_json_holds_what_was_asked_for_and_nothing_else(translator):
    plain, aligned = (
        json.loads(json.dumps(next(translator.stream(["A dog runs."], options)).to_json()))
        for options in (
            TranslationOptions(),
            TranslationOptions(alignment=True, search=translator.beam_search(nbest=2)),
        )
    )
    keys = {"line", "source", "text", "score", "log_probability", "token_log_probabilities", "finished", "engine"}
    assert set(plain) == keys
    assert set(aligned) == keys | {"nbest", "source_words", "target_words", "alignment"}
    assert plain["line"] == 1
    assert len(aligned["nbest"]) == 2
    assert aligned["nbest"][0]["text"] == aligned["text"]


def test_an_ensemble_of_a_model_with_itself_is_that_model(folder, translator):
    assert load(folder, folder, device="cpu").translate(LINES) == translator.translate(LINES)


def test_an_ensemble_of_two_is_neither(folder, make_bundle, tmp_path, translator):
    other = make_bundle(tmp_path / "other", seed=6)
    pair = [("A dog runs.", "She reads.")]
    (both,) = load(folder, other, device="cpu").score(pair)
    (first,), (second,) = translator.score(pair), load(other, device="cpu").score(pair)
    mean = [
        math.log((math.exp(a) + math.exp(b)) / 2)
        for a, b in zip(first.token_log_probabilities, second.token_log_probabilities, strict=True)
    ]
    assert torch.allclose(torch.tensor(both.token_log_probabilities), torch.tensor(mean), atol=1e-4)


def test_an_ensemble_must_share_its_vocabulary(folder, make_bundle, tmp_path):
    other = Tokenizer.train(["entirely other words in here"] * 3, pieces="bpe", size=290)
    config = Bundle.load(folder).model_config
    model = build("transformer", config, other.size, other.size)
    stranger = make_bundle(tmp_path / "stranger", model=model, source_tokenizer=other, target_tokenizer=other)
    with pytest.raises(ConfigError, match="vocabulary"):
        load(folder, stranger, device="cpu")


@pytest.mark.parametrize("option", ["batch_tokens", "window"])
def test_options_are_checked(option):
    with pytest.raises(ConfigError, match=f"`{option}` must be at least 1, but is 0"):
        TranslationOptions(**{option: 0})


def test_an_unknown_device_is_an_error_of_the_user(folder):
    for name in ("abacus", "meta", "tpu", "cuda:99", "", "cuda:-1", "cuda:99999999999999999999", "hpu", "\0"):
        with pytest.raises(ConfigError, match="`device` must be one that is here, but is"):
            load(folder, device=name)


WRONG = """
import sys
import saccade

model = saccade.load(sys.argv[1], device="cpu")
texts = [7, [7], [b"bytes"], ["a text", None]]
pairs = [("a source", "a target"), ["one text"], [("a", "b", "c")], [("a", 7)]]
calls = [lambda texts=texts: model.translate(texts) for texts in texts]
calls += [lambda pairs=pairs: model.score(pairs) for pairs in pairs]
calls += [lambda: saccade.train("tiny", out=sys.argv[2], storage="int4")]
for call in calls:
    try:
        call()
        print("accepted")
    except saccade.errors.InputError as error:
        print(error)
    except saccade.errors.ConfigError as error:
        print(error)
"""


@pytest.mark.slow
def test_arguments_of_a_wrong_type_are_refused_in_words(folder, tmp_path):
    """In a process of its own: here the types are checked before saccade sees them."""
    out = tmp_path / "run"
    done = subprocess.run([sys.executable, "-c", WRONG, folder, out], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        "`texts` must be a text or a list of texts",
        "`texts[0]` must be a text",
        "`texts[0]` must be a text",
        "`texts[1]` must be a text",
        *["`pairs[0]` must be (source"] * 4,
        "`storage` must be one of float32",
    ], done.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    "asked",
    [
        {"nbest": 3, "coverage": 0.3},
        pytest.param({"prefix": "a"}, marks=pytest.mark.slow),
        pytest.param({"sampling": SamplingConfig()}, marks=pytest.mark.slow),
    ],
    ids=["nbest with coverage", "prefix", "sampling"],
)
def test_printed_scores_do_not_depend_on_the_batch(folder, asked):
    translator = load(folder, device="cpu")
    prefix = asked.pop("prefix", "") if "prefix" in asked else ""
    printed = []
    for batch_tokens in (1, 4096):
        options = translator.options(scores=True, batch_tokens=batch_tokens, **asked)
        printed.append([found.to_json() for found in translator.stream(LINES, options, prefix)])
    assert printed[0] == printed[1]
    assert any(len(found["token_log_probabilities"]) > 3 for found in printed[0])


def test_an_uncertain_score_is_that_of_float64(folder, monkeypatch):
    monkeypatch.setattr("saccade.serving.stable_scores.NOISE", 1.0)  # so that every digit is uncertain
    translator = load(folder, device="cpu", engine="torch")
    plain = list(translator.stream(LINES, translator.options()))
    settled = list(translator.stream(LINES, translator.options(scores=True)))
    assert [found.text for found in settled] == [found.text for found in plain]
    for one, other in zip(settled, plain, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-5)
        assert one.nbest[0].token_log_probabilities == pytest.approx(other.nbest[0].token_log_probabilities, abs=1e-5)
    assert any(one.score != other.score for one, other in zip(settled, plain, strict=True))


def test_scores_of_pairs_do_not_depend_on_the_batch(folder):
    translator = load(folder, device="cpu")
    pairs = list(zip(LINES, reversed(LINES), strict=True))
    printed = [
        [
            [rounded(value) for value in scored.token_log_probabilities]
            for scored in translator.stream_scores(pairs, stable=True, batch_tokens=size)
        ]
        for size in (1, 97, 4096)
    ]
    assert printed[0] == printed[1] == printed[2]


def test_a_search_that_does_not_fit_is_an_error_of_ours(folder, monkeypatch):
    translator = load(folder, device="cpu", engine="torch")

    def much(*_, **__):
        return torch.empty(1 << 58)

    monkeypatch.setattr(translator.model, "encode", much)
    with pytest.raises(MemoryFullError, match="the search must fit into the memory of this machine"):
        translator.translate(["A dog runs."])


def test_a_translator_gives_its_memory_back_as_soon_as_it_is_dropped(folder):
    """Every validation makes one: on a GPU, what only a garbage collection frees fills the memory before it comes."""
    gc.collect()
    gc.disable()
    try:
        dropped = load(folder, device="cpu", engine="torch")
        dropped.translate(LINES, split_sentences=True)
        dropped.texts  # noqa: B018
        engines = weakref.ref(dropped.model_engines)
        del dropped
        assert engines() is None
    finally:
        gc.enable()
