import dataclasses
import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.decoding.beam_fast import fast_search
from saccade.decoding.constrained_beam import constrained_beam_search
from saccade.decoding.constrained_beam_fast import constrained_search
from saccade.decoding.length_penalty import coverage_penalty, length_penalty
from saccade.decoding.scoring import score_pairs
from saccade.decoding.terms import TermAutomaton, WordMarks
from saccade.errors import ConfigError, RunError
from saccade.papers import VASWANI2017
from saccade.sequences import Pairs, Sequences
from saccade.special_tokens import BOS, EOS, PAD

NO_TERMS = TermAutomaton.of([], WordMarks((True,) * 11, (False,) * 11))
SOURCES = [[4, 5, 6, EOS], [7, EOS], [10, 9, 8, 7, 6, 5, EOS], [EOS], [4, 4, 4, EOS]]


def outputs(results):
    return [[hypothesis.tokens for hypothesis in found] for found in results]


def test_every_sentence_gets_its_outputs_in_the_order_of_the_sources(tiny):
    model, config = tiny(1), BeamConfig(nbest=2, extra_length=3)
    alone = [beam_search(model, Sequences.of([source]), config)[0] for source in SOURCES]
    assert outputs(beam_search(model, Sequences.of(SOURCES), config)) == outputs(alone)


def test_no_sentences_give_no_outputs(tiny):
    assert beam_search(tiny(1), Sequences.of([]), BeamConfig()) == []


@pytest.mark.parametrize("seed", range(5))
def test_scores_and_probabilities_are_those_of_a_forced_pass(tiny, seed):
    model, config = tiny(seed), BeamConfig(size=3, nbest=3, alpha=0.9, extra_length=4)
    for source, found in zip(SOURCES, beam_search(model, Sequences.of(SOURCES), config), strict=True):
        for hypothesis in found:
            forced = score_pairs(model, Pairs(Sequences.of([source]), Sequences.of([hypothesis.tokens])))[0]
            assert list(hypothesis.token_log_probabilities) == pytest.approx(forced.tolist(), abs=1e-9)
            assert hypothesis.log_probability == pytest.approx(forced.sum().item(), abs=1e-9)
            penalty = length_penalty(len(hypothesis.tokens), 0.9)
            assert hypothesis.score == pytest.approx(forced.sum().item() / penalty, abs=1e-9)


def test_the_best_comes_first_and_all_differ(tiny):
    for found in beam_search(tiny(2), Sequences.of(SOURCES), BeamConfig(size=5, nbest=5, extra_length=4)):
        scores = [hypothesis.score for hypothesis in found]
        assert scores == sorted(scores, reverse=True)
        assert len(set(hypothesis.tokens for hypothesis in found)) == len(found)


def test_the_nbest_begin_with_the_best(tiny):
    model, source = tiny(3), Sequences.of(SOURCES)
    five = beam_search(model, source, BeamConfig(size=5, nbest=5, extra_length=4))
    for nbest in (1, 2, 3):
        fewer = beam_search(model, source, BeamConfig(size=5, nbest=nbest, extra_length=4))
        assert outputs(fewer) == [found[:nbest] for found in outputs(five)]


def test_size_one_follows_the_most_probable_token(tiny):
    model, source = tiny(4), Sequences.of(SOURCES)
    for row, found in enumerate(beam_search(model, source, BeamConfig(size=1, extra_length=4))):
        memory = model.encode(source.select(torch.tensor([row])))
        written = [BOS]
        while len(written) <= len(SOURCES[row]) + 4 and written[-1] != EOS:
            logits = model.decode(Sequences.of([written]), memory)[0, -1]
            logits[[PAD, BOS]] = -torch.inf
            written.append(int(logits.argmax()))
        # It may return an earlier end, one that was not the most probable token but gives a better score.
        assert found[0].tokens[:-1] == tuple(written[1 : len(found[0].tokens)])


@pytest.mark.parametrize("extra", [0, 2, 7])
def test_no_output_is_longer_than_its_limit(tiny, extra):
    model = tiny(5, maximum_length=8)
    for source, found in zip(
        SOURCES, beam_search(model, Sequences.of(SOURCES), BeamConfig(nbest=4, extra_length=extra)), strict=True
    ):
        assert all(len(hypothesis.tokens) <= min(len(source) + extra, 8) for hypothesis in found)


def test_what_cannot_end_comes_back_unfinished(tiny):
    model = tiny(6)
    forbid_end(model)
    for source, found in zip(
        SOURCES, beam_search(model, Sequences.of(SOURCES), BeamConfig(nbest=2, extra_length=2)), strict=True
    ):
        assert [hypothesis.finished for hypothesis in found] == [False, False]
        assert all(len(hypothesis.tokens) == len(source) + 2 for hypothesis in found)


def test_finished_outputs_end_with_the_only_end(tiny):
    for found in beam_search(tiny(7), Sequences.of(SOURCES), BeamConfig(nbest=4, extra_length=4)):
        for hypothesis in found:
            assert hypothesis.finished
            assert hypothesis.tokens.index(EOS) == len(hypothesis.tokens) - 1
            assert not {PAD, BOS} & set(hypothesis.tokens)


def test_outputs_begin_with_their_prefix_and_its_tokens_count(tiny):
    model, prefix = tiny(8), [[9, 9], [], [5], [2, 4, 6], [10]]
    found = beam_search(model, Sequences.of(SOURCES), BeamConfig(nbest=3, extra_length=5), Sequences.of(prefix))
    for source, beginning, hypotheses in zip(SOURCES, prefix, found, strict=True):
        for hypothesis in hypotheses:
            assert hypothesis.tokens[: len(beginning)] == tuple(beginning)
            forced = score_pairs(model, Pairs(Sequences.of([source]), Sequences.of([hypothesis.tokens])))
            assert hypothesis.log_probability == pytest.approx(forced.sum().item(), abs=1e-9)


def test_the_beginning_of_the_best_output_as_prefix_gives_it_again(tiny):
    model, source = tiny(9), Sequences.of(SOURCES)
    best = [found[0] for found in beam_search(model, source, BeamConfig(size=30, extra_length=2))]
    prefix = Sequences.of([hypothesis.tokens[:-1][:2] for hypothesis in best])
    again = beam_search(model, source, BeamConfig(size=30, extra_length=2), prefix)
    assert [found[0].tokens for found in again] == [hypothesis.tokens for hypothesis in best]


def test_coverage_orders_by_the_penalised_score(tiny):
    model, source = tiny(10), Sequences.of(SOURCES)
    plain = beam_search(model, source, BeamConfig(size=5, nbest=5, extra_length=4))
    charged = beam_search(model, source, BeamConfig(size=5, nbest=5, extra_length=4, coverage=0.8))
    for row, (before, after) in enumerate(zip(plain, charged, strict=True)):
        expected = {}
        own = source.select(torch.tensor([row]))
        for hypothesis in before:
            target = Sequences.of([hypothesis.tokens])
            weights = model.align(target, model.encode(own))
            penalty = coverage_penalty(weights, target.mask, own.mask, 0.8).item()
            expected[hypothesis.tokens] = hypothesis.score + penalty
        assert [hypothesis.score for hypothesis in after] == pytest.approx(sorted(expected.values(), reverse=True))
        assert {hypothesis.tokens: pytest.approx(hypothesis.score) for hypothesis in after} == expected


@pytest.mark.parametrize("seed", range(3))
def test_coverage_chooses_the_best_among_all_finished_outputs(tiny, seed):
    model, source = tiny(seed), Sequences.of(SOURCES)
    all_of_them = beam_search(model, source, BeamConfig(size=5, nbest=5, extra_length=4, coverage=3.0))
    best = beam_search(model, source, BeamConfig(size=5, nbest=1, extra_length=4, coverage=3.0))
    assert outputs(best) == [found[:1] for found in outputs(all_of_them)]


def test_equal_candidates_are_ordered_by_token(tiny):
    model = tiny(11)
    with torch.no_grad():
        model.output.weight.zero_()
    found = beam_search(model, Sequences.of([[4, EOS]]), BeamConfig(size=3, nbest=3, alpha=0.0, extra_length=5))[0]
    # Every token has the same probability: the shortest output wins, and the extensions of the first hypothesis, in
    # the order of their ids, leave no room for those of the others.
    assert [hypothesis.tokens for hypothesis in found] == [(EOS,), (2, EOS), (2, 2, EOS)]


def test_weights_that_are_not_finite_are_refused(tiny):
    model = tiny(12)
    with torch.no_grad():
        model.output.weight.fill_(torch.nan)
    with pytest.raises(RunError, match="not finite"):
        beam_search(model, Sequences.of(SOURCES), BeamConfig())


def test_a_model_that_still_trains_is_a_mistake(tiny):
    with pytest.raises(AssertionError, match="eval"):
        beam_search(tiny(13).train(), Sequences.of(SOURCES), BeamConfig())


@pytest.mark.parametrize(
    ("field", "value"),
    [("size", 0), ("alpha", -0.1), ("alpha", float("nan")), ("alpha", float("inf")), ("coverage", -1.0)]
    + [
        ("coverage", float("inf")),
        ("coverage", 1e30),
        ("alpha", 1e30),
        ("nbest", 0),
        ("nbest", 5),
        ("extra_length", -1),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(field, value):
    with pytest.raises(ConfigError, match=f"{field}`? must be"):
        dataclasses.replace(BeamConfig(), **{field: value})


def test_the_defaults_are_the_papers():
    paper = VASWANI2017.translation
    assert BeamConfig() == BeamConfig(paper.beam, paper.alpha, coverage=0.0, nbest=1, extra_length=paper.extra_length)


def test_the_search_goes_on_while_a_longer_output_can_still_win(tiny):
    # To end at once scores log 0.45 = -0.80; to write 4 5 EOS log 0.55 = -0.60, over a length penalty of 8/6.
    model = markov_chain(tiny(14), {BOS: {EOS: 0.45, 4: 0.55}, 4: {5: 1.0}, 5: {EOS: 1.0}})
    found = beam_search(model, Sequences.of([[4, EOS]]), BeamConfig(size=2, alpha=1.0, extra_length=8))
    assert [hypothesis.tokens for hypothesis in found[0]] == [(4, 5, EOS)]


@pytest.mark.parametrize("search", [beam_search, fast_search])
def test_by_the_rules_of_generate_what_is_alive_at_the_limit_may_win(tiny, search):
    # To end at once has 0.3, to go on for ever 0.7; only the search of the paper wants outputs that end.
    model = markov_chain(tiny(14), {BOS: {EOS: 0.3, 4: 0.7}, 4: {4: 1.0}})
    for stop, expected in (("returned", (EOS,)), ("worst-finished", (EOS,)), ("longest-length", (4, 4, 4))):
        config = BeamConfig(size=2, alpha=0.0, extra_length=1, stop=stop)
        assert outputs(search(model, Sequences.of([[4, EOS]]), config)) == [[expected]]


@pytest.mark.parametrize(
    "search",
    [
        beam_search,
        fast_search,
        partial(constrained_beam_search, automata=[NO_TERMS]),
        partial(constrained_search, automata=[NO_TERMS]),
    ],
    ids=["readable", "fast", "readable with terms", "fast with terms"],
)
def test_the_first_finished_end_a_search_also_where_what_is_alive_is_certain(tiny, search):
    # To go on has probability 1 as numbers are rounded.
    model = markov_chain(tiny(14), {BOS: {EOS: 1e-20, 4: 1.0}, 4: {EOS: 1e-19, 4: 1.0}})
    config = BeamConfig(size=1, alpha=0.0, extra_length=3, stop="first-finished")
    assert outputs(search(model, Sequences.of([[4, EOS]]), config)) == [[(EOS,)]]


def test_an_output_that_ends_takes_no_place_from_those_that_go_on(tiny):
    # Of two live hypotheses neither is lost when EOS is the best candidate: 5 EOS (0.25) beats 4 6 EOS (0.175).
    model = markov_chain(tiny(14), {BOS: {EOS: 0.4, 4: 0.35, 5: 0.25}, 4: {6: 0.5, 7: 0.5}})
    found = beam_search(model, Sequences.of([[4, EOS]]), BeamConfig(size=2, nbest=2, alpha=0.0, extra_length=3))
    assert outputs(found) == [[(EOS,), (5, EOS)]]


def test_an_end_that_is_not_among_the_best_candidates_is_not_taken(tiny):
    # Of a beam of one, two candidates are kept: to end at once (0.2) is the third, though no other output is as likely.
    model = markov_chain(tiny(14), {BOS: {4: 0.5, 5: 0.3, EOS: 0.2}, 4: {6: 1.0}, 6: {6: 0.9, EOS: 0.1}})
    found = beam_search(model, Sequences.of([[4, EOS]]), BeamConfig(size=1, alpha=0.0, extra_length=3))
    assert outputs(found) == [[(4, 6, EOS)]]


def first_release_search(model, source, size, alpha, limit):
    """The search released with the paper, for one sentence and in plain Python: (tokens, score), best first.

    It stops when the worst of the finished outputs scores at least log P of the best live one / lp(limit).
    """
    alive, finished = [((), 0.0)], []
    for length in range(1, limit + 1):
        candidates = []
        for tokens, total in alive:
            reads = Sequences.of([(BOS, *tokens)])
            logits = model.decode(reads, model.encode(Sequences.of([source])))[0, -1].log_softmax(-1).tolist()
            candidates += [((*tokens, token), total + logits[token]) for token in range(11) if token not in (PAD, BOS)]
        best = sorted(candidates, key=lambda one: -one[1])[: 2 * size]
        ended = [(tokens, total / ((5 + length) / 6) ** alpha) for tokens, total in best if tokens[-1] == EOS]
        finished = sorted(finished + ended, key=lambda one: -one[1])[:size]
        alive = [one for one in best if one[0][-1] != EOS][:size]
        if finished and min(score for _, score in finished) >= alive[0][1] / ((5 + limit) / 6) ** alpha:
            break
    return finished


def test_the_rule_of_the_first_release_is_that_of_plain_loops(tiny):
    model, alpha = tiny(2), 0.6
    config = BeamConfig(size=3, nbest=3, alpha=alpha, extra_length=4, stop="worst-finished")
    with torch.no_grad():
        for source, found in zip(SOURCES[:2], beam_search(model, Sequences.of(SOURCES[:2]), config), strict=True):
            expected = first_release_search(model, source, 3, alpha, len(source) + 4)
            assert [one.tokens for one in found] == [tokens for tokens, _ in expected]
            assert [one.score for one in found] == pytest.approx([score for _, score in expected])


def test_both_stop_rules_find_the_same_best_output_and_one_of_them_later(tiny):
    steps = {"returned": 0, "worst-finished": 0}
    best = {}
    for stop in steps:
        found = []
        for seed in (1, 2):
            model = tiny(seed)
            step = model.step

            def counted(reads, state, step=step, stop=stop):
                steps[stop] += 1
                return step(reads, state)

            model.step = counted
            config = BeamConfig(size=4, extra_length=9, stop=stop)
            found += outputs(beam_search(model, Sequences.of(SOURCES[:3]), config))
        best[stop] = found
    assert best["returned"] == best["worst-finished"]
    assert steps["returned"] < steps["worst-finished"]


ordinary = st.lists(st.integers(2, 10).filter(lambda token: token != BOS), max_size=6)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 30),
    pairs=st.lists(st.tuples(ordinary, ordinary.map(lambda tokens: tokens[:2])), min_size=1, max_size=5),
    size=st.integers(1, 5),
    padding=st.integers(0, 4),
    order=st.randoms(use_true_random=False),
)
def test_an_output_depends_on_no_batch_mate_no_order_and_no_padding(tiny, seed, pairs, size, padding, order):
    model, config = tiny(seed), BeamConfig(size=size, nbest=size, extra_length=2)
    alone = [
        beam_search(model, Sequences.of([[*source, EOS]]), config, Sequences.of([prefix]))[0]
        for source, prefix in pairs
    ]
    places = list(range(len(pairs)))
    order.shuffle(places)
    source = Sequences.of([[*pairs[place][0], EOS] for place in places])
    source = Sequences(torch.nn.functional.pad(source.tokens, (0, padding), value=PAD), source.lengths)
    together = beam_search(model, source, config, Sequences.of([pairs[place][1] for place in places]))
    assert outputs(together) == [outputs(alone)[place] for place in places]
    for found, place in zip(together, places, strict=True):
        assert [one.score for one in found] == pytest.approx([one.score for one in alone[place]], abs=1e-9)


def forbid_end(model):
    """Makes EOS impossible: no weight of the output says so by itself, so its logit is taken away afterwards."""
    step = model.step

    def never_ending(token, state):
        logits, state = step(token, state)
        return logits.index_fill(1, torch.tensor([EOS]), -torch.inf), state

    model.step = never_ending


def markov_chain(model, probabilities):
    """Makes the model give each next token the probability it has after the last one, whatever came before."""
    table = torch.full((model.target_vocabulary, model.target_vocabulary), -torch.inf, dtype=torch.float64)
    table[:, EOS] = 0.0
    for last, following in probabilities.items():
        table[last] = -torch.inf
        for token, probability in following.items():
            table[last, token] = math.log(probability)
    model.step = lambda token, state: (table[token], state)
    return model
