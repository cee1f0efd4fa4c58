"""The page's own forward and backward pass against torch: the same weights and lines, every gradient."""

import math

import pytest
import torch
import torch.nn.functional as F
from tests.page_modules import run_in_node
from torch import Tensor

from saccade.layers.position import sinusoids

SIZES = {"vocabulary": 7, "width": 12, "heads": 3, "layers": 2, "positions": True, "scaled": True}
BATCH = [
    {"source": [1, 5, 2, 6], "reads": [6, 2, 5], "writes": [2, 5, 6]},
    {"source": [3, 6], "reads": [6, 4, 4, 0, 1], "writes": [4, 4, 0, 1, 6]},
    {"source": [0, 0, 4, 3, 2, 1, 6], "reads": [6], "writes": [6]},
]
VARIANTS = [{}, {"positions": False, "heads": 1}, {"scaled": False, "layers": 1}]

FORWARD_AND_BACKWARD = """
import { Transformer } from "page/train/network/transformer";
import { randomNumbers } from "page/train/network/random";
export default ({ variants, batch }) => variants.map((sizes) => {
  const random = randomNumbers(5);
  const network = new Transformer(sizes, random);
  // Away from the initial zeros and ones, so that every bias and gain matters.
  for (const { value } of network.parameters.list) value.forEach((_, i) => { value[i] += random() - 0.5; });
  const pass = network.forward(batch);
  pass.backward();
  return {
    loss: pass.loss,
    cross: pass.weights.cross.map((lines) => lines.map((line) => [...line])),
    parameters: network.parameters.list.map(
      ({ name, shape, value, gradient }) => ({ name, shape, value: [...value], gradient: [...gradient] })),
  };
})
"""

OPTIMISER = """
import { Adam } from "page/train/network/adam";
import { Parameters } from "page/train/network/parameters";
export default ({ begin, gradients, peak, warmUp }) => {
  const parameters = new Parameters(() => 0);
  const { value, gradient } = parameters.vector("x", begin.length, 0);
  value.set(begin);
  const adam = new Adam(parameters, { peak, warmUp });
  return gradients.map((given) => { gradient.set(given); adam.update(); return [...value]; });
}
"""


@pytest.fixture(scope="module")
def ours() -> list[dict]:
    return run_in_node(FORWARD_AND_BACKWARD, {"variants": [SIZES | changes for changes in VARIANTS], "batch": BATCH})


def reference(sizes: dict, weights: dict[str, Tensor]) -> tuple[Tensor, list[list[Tensor]]]:
    """The mean loss of the batch, and the weights of cross-attention by layer and line, in double precision."""
    width, heads = sizes["width"], sizes["heads"]
    table = sinusoids(16, width).double() if sizes["positions"] else torch.zeros(16, width).double()
    crossed: list[list[Tensor]] = [[] for _ in range(sizes["layers"])]

    def embed(side: str, tokens: list[int]) -> Tensor:
        return math.sqrt(width) * F.embedding(torch.tensor(tokens), weights[f"{side}.embedding"]) + table[: len(tokens)]

    def attend(name: str, x: Tensor, memory: Tensor, causal: bool = False) -> tuple[Tensor, Tensor]:
        query, key, value = (
            F.linear(given, weights[f"{name}.{part}"]).view(len(given), heads, -1).transpose(0, 1)
            for part, given in (("query", x), ("key", memory), ("value", memory))
        )
        scores = query @ key.mT / (math.sqrt(width // heads) if sizes["scaled"] else 1)
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), -math.inf)
        weight = scores.softmax(-1)
        return F.linear((weight @ value).transpose(0, 1).flatten(1), weights[f"{name}.output"]), weight

    def norm(name: str, x: Tensor) -> Tensor:
        return F.layer_norm(x, (width,), weights[f"{name}.norm.gain"], weights[f"{name}.norm.shift"])

    def feed_forward(name: str, x: Tensor) -> Tensor:
        inner = F.linear(x, weights[f"{name}.inner"], weights[f"{name}.inner.bias"]).relu()
        return norm(name, x + F.linear(inner, weights[f"{name}.outer"], weights[f"{name}.outer.bias"]))

    losses = []
    for line in BATCH:
        memory = embed("source", line["source"])
        for n in range(sizes["layers"]):
            memory = norm(f"enc.{n}.self", memory + attend(f"enc.{n}.self", memory, memory)[0])
            memory = feed_forward(f"enc.{n}.ffn", memory)
        x = embed("target", line["reads"])
        for n in range(sizes["layers"]):
            x = norm(f"dec.{n}.self", x + attend(f"dec.{n}.self", x, x, causal=True)[0])
            looked, weight = attend(f"dec.{n}.cross", x, memory)
            crossed[n].append(weight)
            x = feed_forward(f"dec.{n}.ffn", norm(f"dec.{n}.cross", x + looked))
        logits = F.linear(x, weights["output"], weights["output.bias"])
        losses.append(F.cross_entropy(logits, torch.tensor(line["writes"]), reduction="none"))
    return torch.cat(losses).mean(), crossed


@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=["paper", "without positions", "without the scale"])
def test_loss_weights_and_every_gradient_are_those_of_torch(ours, variant):
    found = ours[variant]
    weights = {
        one["name"]: torch.tensor(one["value"], dtype=torch.float64).view(one["shape"]).requires_grad_()
        for one in found["parameters"]
    }
    loss, crossed = reference(SIZES | VARIANTS[variant], weights)
    loss.backward()
    assert found["loss"] == pytest.approx(loss.item(), abs=1e-5)
    for layer, lines in zip(found["cross"], crossed, strict=True):
        for line, expected in zip(layer, lines, strict=True):
            assert line == pytest.approx(expected.flatten().tolist(), abs=1e-5)
    for one in found["parameters"]:
        expected = weights[one["name"]].grad
        assert expected is not None
        assert expected.abs().max() > 1e-4, f"{one['name']} has no gradient to compare"
        assert one["gradient"] == pytest.approx(expected.flatten().tolist(), abs=1e-5), one["name"]


def test_adam_with_its_warm_up_is_torch_s():
    peak, warm_up, steps = 0.02, 3, 7
    generator = torch.Generator().manual_seed(3)
    begin, gradients = torch.randn(5, generator=generator), torch.randn(steps, 5, generator=generator)
    parameter = torch.nn.Parameter(begin.clone())
    adam = torch.optim.Adam([parameter], lr=peak, betas=(0.9, 0.98), eps=1e-9)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda done: min((done + 1) / warm_up, math.sqrt(warm_up / (done + 1)))
    )
    expected = []
    for gradient in gradients:
        parameter.grad = gradient.clone()
        adam.step()
        schedule.step()
        expected.append(parameter.tolist())
    given = {"begin": begin.tolist(), "gradients": gradients.tolist(), "peak": peak, "warmUp": warm_up}
    assert torch.tensor(run_in_node(OPTIMISER, given)) == pytest.approx(torch.tensor(expected), abs=1e-6)
