import torch

from saccade.layers.biased_projection import AffineProjection, BiasedProjection, with_one

WIDTH, VOCABULARY = 5, 7


def test_scores_are_those_of_a_matrix_and_a_bias(generator):
    scores = AffineProjection(WIDTH, VOCABULARY)
    states = torch.randn(2, 3, WIDTH, generator=generator)
    torch.testing.assert_close(scores(with_one(states)), states @ scores.weight.T + scores.bias)
    torch.testing.assert_close(with_one(states) @ scores.matrix.T, states @ scores.weight.T + scores.bias)


def test_the_gradient_of_the_matrix_reaches_weight_and_bias(generator):
    scores = AffineProjection(WIDTH, VOCABULARY)
    pull = torch.randn(VOCABULARY, WIDTH + 1, generator=generator)
    (scores.matrix * pull).sum().backward()
    assert torch.equal(scores.weight.grad, pull[:, :-1])
    assert torch.equal(scores.bias.grad, pull[:, -1])


@torch.no_grad()
def test_the_last_column_of_a_biased_projection_is_its_bias():
    output = BiasedProjection(3, 5)
    assert not output.weight[:, -1].any()
    output.weight.normal_()
    units = torch.randn(2, 7, 3)
    expected = torch.nn.functional.linear(units, output.weight[:, :3], output.weight[:, 3])
    torch.testing.assert_close(output(with_one(units)), expected)
