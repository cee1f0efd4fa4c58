"""The equations of "A Structured Self-attentive Sentence Embedding", sentence by sentence, and its penalty."""

import pytest
import torch

from saccade.models.self_attentive import Annotated, SelfAttentive, SelfAttentiveConfig
from saccade.sequences import Sequences
from saccade.special_tokens import EOS, UNK

WORDS, LABELS, WIDTH, HOPS = 29, 7, 5, 3
SIZES = {"width": WIDTH, "embedding_width": 2, "attention_width": 11, "hops": HOPS, "inner_width": 13}
SOURCE = Sequences.of([[5, 9, 4, 28, 6, EOS], [11, EOS], [8, 8, 20, EOS]])
TARGET = Sequences.of([[4, EOS], [6, EOS], [UNK, EOS]])


def built(**changes) -> tuple[SelfAttentive, dict[str, torch.Tensor]]:
    torch.manual_seed(3)
    model = SelfAttentive(SelfAttentiveConfig(**(SIZES | changes)), WORDS, LABELS).double().eval()
    with torch.no_grad():  # as words begin, all hops would look everywhere
        model.embedding.weight.mul_(20)
    return model, model.state_dict()


def lstm(weights, direction: str, words: list[torch.Tensor]) -> list[torch.Tensor]:
    w, u = (weights[f"{direction}.program.weight_{kind}_l0"] for kind in ("ih", "hh"))
    bias = weights[f"{direction}.program.bias_ih_l0"] + weights[f"{direction}.program.bias_hh_l0"]
    h = c = torch.zeros(WIDTH).double()
    states = []
    for word in words:
        i, f, g, o = (w @ word + u @ h + bias).chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return states


def annotated(weights, tokens: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """A and M of one sentence."""
    words = [weights["embedding.weight"][token] for token in tokens]
    onward = lstm(weights, "onward", words)
    backward = lstm(weights, "backward", words[::-1])[::-1]
    h = torch.stack([torch.cat(both) for both in zip(onward, backward, strict=True)])
    scores = weights["annotation.outer.weight"] @ torch.tanh(weights["annotation.inner.weight"] @ h.T)
    a = scores.exp() / scores.exp().sum(dim=1, keepdim=True)
    return a, a @ h


@torch.no_grad()
def test_annotation_embedding_and_label_scores_follow_the_equations():
    model, weights = built()
    memory = model.encode(SOURCE)
    logits = model.decode(TARGET.reads, memory)
    for row, length in enumerate(SOURCE.lengths.tolist()):
        a, m = annotated(weights, SOURCE.tokens[row, :length].tolist())
        torch.testing.assert_close(memory.weights[row, :, :length], a)
        torch.testing.assert_close(memory.embedding[row], m.flatten())
        inner = (weights["inner.weight"] @ m.flatten() + weights["inner.bias"]).clamp(min=0)
        scores = weights["outer.weight"] @ inner + weights["outer.bias"]
        torch.testing.assert_close(logits[row, 0, 4:], scores[4:])
        assert logits[row, 1].argmax() == EOS


@torch.no_grad()
def test_the_penalty_is_the_squared_norm_of_the_overlap_summed_over_sentences():
    model, weights = built(penalty=0.3)
    total = 0.0
    for row, length in enumerate(SOURCE.lengths.tolist()):
        a, _ = annotated(weights, SOURCE.tokens[row, :length].tolist())
        for i in range(HOPS):
            for j in range(HOPS):
                total += float((a[i] * a[j]).sum() - (1.0 if i == j else 0.0)) ** 2
    assert model.penalty(model.encode(SOURCE)).item() == pytest.approx(0.3 * total)


def memory_of(weights: list[list[float]]) -> Annotated:
    return Annotated(torch.zeros(1, HOPS * 2 * WIDTH), torch.tensor([weights]))


def test_hops_on_different_single_words_cost_nothing():
    model, _ = built()
    assert model.penalty(memory_of([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])).item() == 0


@pytest.mark.parametrize(("norm", "cost"), [("squared", 6.0), ("plain", 6.0**0.5)])
def test_hops_on_the_same_word_cost_two_for_every_pair(norm, cost):
    model, _ = built(penalty_norm=norm)
    assert model.penalty(memory_of([[0.0, 1.0, 0.0]] * 3)).item() == pytest.approx(cost)


def test_without_a_coefficient_there_is_no_penalty():
    model, _ = built(penalty=0.0)
    assert model.penalty(model.encode(SOURCE)) is None


@pytest.mark.parametrize("norm", ["squared", "plain"])
def test_the_gradient_of_the_penalty_draws_hops_apart(norm):
    model, _ = built(penalty_norm=norm)
    before = model.penalty(model.encode(SOURCE))
    before.backward()
    with torch.no_grad():
        for parameter in model.annotation.parameters():
            parameter -= 0.01 * parameter.grad
    assert model.penalty(model.encode(SOURCE)) < before


def test_a_sentence_that_costs_nothing_leaves_a_gradient_that_is_a_number():
    model, _ = built(penalty_norm="plain", hops=1)
    model.penalty(model.encode(Sequences.of([[EOS]]))).backward()
    assert all(parameter.grad.isfinite().all() for parameter in model.annotation.parameters())


@torch.no_grad()
def test_an_alignment_is_the_mean_of_the_hops():
    model, _ = built()
    memory = model.encode(SOURCE)
    alignment = model.align(TARGET, memory)
    torch.testing.assert_close(alignment[:, 0], memory.weights.mean(1))
    torch.testing.assert_close(alignment[:, 1], memory.weights.mean(1))


def test_the_sizes_of_the_experiment_on_reviews():
    """u = 300, d_a = 350, r = 30, a classifier of 3000: the first matrix of the classifier is nearly all of it."""
    with torch.device("meta"):
        model = SelfAttentive(SelfAttentiveConfig(), WORDS, LABELS)
    shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    assert shapes["annotation.inner.weight"] == (350, 600)
    assert shapes["annotation.outer.weight"] == (30, 350)
    assert shapes["inner.weight"] == (3000, 30 * 600)
