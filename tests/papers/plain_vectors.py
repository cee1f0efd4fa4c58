"""Vectors as lists of numbers, for the gated networks of Cho et al. 2014 and Bahdanau et al. 2015."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

Vector = list[float]


def times(matrix: list[Vector], vector: Vector) -> Vector:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def plus(*vectors: Vector) -> Vector:
    return [sum(numbers) for numbers in zip(*vectors, strict=True)]


def sigma(vector: Vector) -> Vector:
    return [1 / (1 + math.exp(-number)) for number in vector]


def tanh(vector: Vector) -> Vector:
    return [math.tanh(number) for number in vector]


def maxout(sums: Vector) -> Vector:
    """The larger of each two neighbours."""
    return [max(pair) for pair in zip(sums[::2], sums[1::2], strict=True)]


def widely_drawn(model: nn.Module) -> nn.Module:
    """The same model in float64 with weights so large that no part of an equation hides behind another."""
    model = model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.7)
    return model


def assert_begins(model: nn.Module, width: int, deviation: Callable[[str], float]) -> None:
    """Recurrent matrices orthogonal, biases zero, everything else around zero with the deviation of its name."""
    for name, parameter in model.named_parameters():
        if name.endswith("recurrent"):
            for matrix in parameter.detach().split(width):
                torch.testing.assert_close(matrix @ matrix.T, torch.eye(width), atol=1e-5, rtol=0)
        elif name.endswith("bias") or not deviation(name):
            assert not parameter.any(), name
        else:
            if name == "output.weight":
                parameter, bias = parameter[:, :-1], parameter[:, -1]
                assert not bias.any()
            assert parameter.std().item() == pytest.approx(deviation(name), rel=0.05), name
            assert parameter.mean().item() == pytest.approx(0.0, abs=5e-4), name
