"""The equations of "Frustratingly Short Attention Spans", position by position, and the sizes they give."""

import pytest
import torch

from saccade.attention.recording import recording
from saccade.models.key_value_predict import KeyValuePredict, KeyValuePredictConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

VOCABULARY, WIDTH, WORDS, WINDOW = 31, 5, 3, 4
SOURCE = Sequences.of([[EOS], [EOS]])
TARGET = Sequences.of([[5, 9, 4, 28, 6, 7, 30, EOS], [11, 5, EOS]])
READS = ("attention", "key-value", "key-value-predict")


def built(**changes) -> tuple[KeyValuePredict, dict[str, torch.Tensor]]:
    torch.manual_seed(3)
    sizes = {"width": WIDTH, "embedding_width": WORDS, "window": WINDOW}
    model = KeyValuePredict(KeyValuePredictConfig(**(sizes | changes)), VOCABULARY, VOCABULARY).double().eval()
    with torch.no_grad():  # as small as they begin, little would depend on what is attended to
        for parameter in model.parameters():
            parameter.mul_(9)
    return model, model.state_dict()


def lstm_outputs(weights: dict[str, torch.Tensor], tokens: list[int]) -> list[torch.Tensor]:
    w, u = weights["recurrent.program.weight_ih_l0"], weights["recurrent.program.weight_hh_l0"]
    bias = weights["recurrent.program.bias_ih_l0"] + weights["recurrent.program.bias_hh_l0"]
    h = c = torch.zeros(u.shape[1]).double()
    outputs = []
    for token in tokens:
        i, f, g, o = (w @ weights["embedding.weight"][token] + u @ h + bias).chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        outputs.append(h)
    return outputs


def attended(weights, outputs, parts: int, window: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """h* of every position, and what each attended to."""
    divided = [output.view(parts, WIDTH) for output in outputs]
    states, weights_of_each = [], []
    for t, now in enumerate(divided):
        if parts == 1:
            key, predicting = now[0], now[0]
        else:
            key, predicting = now[0], now[1] if parts == 2 else now[2]
        past = divided[max(0, t - window) : t]
        r, alpha = torch.zeros(WIDTH).double(), torch.zeros(0).double()
        if past:
            scores = []
            for before in past:
                m = torch.tanh(
                    weights["reading.attention.score.key.weight"] @ before[0]
                    + weights["reading.attention.score.query.weight"] @ key
                )
                scores.append(weights["reading.attention.score.vector"] @ m)
            alpha = torch.stack(scores).exp() / torch.stack(scores).exp().sum()
            for share, before in zip(alpha, past, strict=True):
                r = r + share * before[0 if parts == 1 else 1]
        states.append(torch.tanh(weights["reading.read.weight"] @ r + weights["reading.predict.weight"] @ predicting))
        weights_of_each.append(alpha)
    return states, weights_of_each


@pytest.mark.parametrize("window", [1, WINDOW, 20])
@pytest.mark.parametrize("reads", READS)
@torch.no_grad()
def test_attention_key_value_and_key_value_predict_follow_the_equations(reads, window):
    model, weights = built(reads=reads, window=window)
    parts = READS.index(reads) + 1
    assert weights["recurrent.program.weight_hh_l0"].shape == (4 * parts * WIDTH, parts * WIDTH)
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, length in enumerate(TARGET.lengths.tolist()):
        outputs = lstm_outputs(weights, TARGET.reads.tokens[row, :length].tolist())
        for position, state in enumerate(attended(weights, outputs, parts, window)[0]):
            expected = weights["output.weight"] @ state + weights["output.bias"]
            torch.testing.assert_close(logits[row, position], expected)


@pytest.mark.parametrize("order", [2, 3, 4, 7])
@torch.no_grad()
def test_the_n_gram_network_joins_parts_of_its_last_outputs(order):
    model, weights = built(reads="ngram", order=order)
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    for row, length in enumerate(TARGET.lengths.tolist()):
        outputs = lstm_outputs(weights, TARGET.reads.tokens[row, :length].tolist())
        for position in range(length):
            pieces = []
            for part in range(order - 1):
                if position - part >= 0:
                    pieces.append(outputs[position - part][part * WIDTH : (part + 1) * WIDTH])
                else:
                    pieces.append(torch.zeros(WIDTH).double())
            state = torch.tanh(weights["reading.join.weight"] @ torch.cat(pieces))
            expected = weights["output.weight"] @ state + weights["output.bias"]
            torch.testing.assert_close(logits[row, position], expected)


@torch.no_grad()
def test_what_is_recorded_is_what_the_equations_attend_to():
    model, weights = built()
    with recording(model) as record:
        model.decode(TARGET.reads, model.encode(SOURCE))
    (recorded,) = record["reading.attention"]
    assert recorded.shape == (2, 1, 8, 8)
    _, expected = attended(weights, lstm_outputs(weights, TARGET.reads.tokens[0].tolist()), 3, WINDOW)
    for position, alpha in enumerate(expected):
        row = recorded[0, 0, position]
        first = max(0, position - WINDOW)
        torch.testing.assert_close(row[first:position], alpha)
        assert row[:first].eq(0).all()
        assert row[position:].eq(0).all()


@torch.no_grad()
def test_a_step_attends_to_what_the_whole_sentence_attends_to():
    model, _ = built()
    with recording(model) as whole:
        model.decode(TARGET.reads, model.encode(SOURCE))
    with recording(model) as steps:
        state = model.start(model.encode(SOURCE))
        for position in range(6):
            _, state = model.step(TARGET.reads.tokens[:, position], state)
    torch.testing.assert_close(steps["reading.attention"][5][:, 0, 0, :-1], whole["reading.attention"][0][:, 0, 5, 1:5])


@torch.no_grad()
def test_the_first_position_takes_nothing():
    model, weights = built()
    logits = model.decode(TARGET.reads, model.encode(SOURCE))
    weights["reading.read.weight"].zero_()
    without = model.decode(TARGET.reads, model.encode(SOURCE))
    assert torch.equal(logits[:, 0], without[:, 0])
    assert not torch.allclose(logits[:, 1], without[:, 1])


def test_weights_begin_between_minus_and_plus_a_tenth_and_biases_at_zero():
    torch.manual_seed(3)
    for reads in (*READS, "ngram"):
        model = KeyValuePredict(KeyValuePredictConfig(reads=reads, width=67, initial_range=0.1), VOCABULARY, VOCABULARY)
        for name, parameter in model.named_parameters():
            if "bias" in name:
                assert parameter.eq(0).all(), name
            else:
                assert 0.08 < parameter.abs().max() <= 0.1, name
                assert parameter.std().item() == pytest.approx(0.1 / 3**0.5, rel=0.25), name


def test_weights_of_another_width_begin_so_that_sums_vary_as_much():
    assert KeyValuePredictConfig().largest_weight == pytest.approx(0.1)
    assert KeyValuePredictConfig(width=75).largest_weight == pytest.approx(0.2)
    model = KeyValuePredict(KeyValuePredictConfig(width=75), VOCABULARY, VOCABULARY)
    assert 0.15 < model.reading.predict.weight.abs().max() <= 0.2


@pytest.mark.parametrize(("reads", "parts", "matrices"), [("attention", 1, 4), ("key-value", 2, 4), ("ngram", 3, 3)])
def test_a_model_has_the_parameters_of_its_equations(reads, parts, matrices):
    """An LSTM of torch's has two biases where the equations have one."""
    k, v, m = WIDTH, VOCABULARY, WORDS
    wide = parts * k
    lstm = 4 * wide * (m + wide + 2)
    extra = k if reads != "ngram" else 0
    total = sum(parameter.numel() for parameter in built(reads=reads)[0].parameters())
    assert total == v * m + lstm + matrices * k * k + extra + v * (k + 1)
