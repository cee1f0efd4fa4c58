"""What no implementation in float32 can go below without computing less: the model's matrix products and nothing else.

Training: every product forward, and the two backward, over the real tokens of the batch (padding is no work).
Decoding: the encoder's products once, then for each token the decoder's over batch x beam rows; every layer has its
own weights there, because reading them is the work when rows are few.
"""

import torch
from torch.nn import functional

from bench import workload


class Adapter:
    def __init__(self, setup):
        size = setup.size
        self.size = size
        self.info = {"torch": torch.__version__}
        if setup.mode == "decode":
            steps = workload.decoder_products(size, 1)
            self.weights = [torch.randn(one.outer, one.inner) for one in steps for _ in range(one.times)]
            self.inputs = torch.randn(1)
            self.encoder = [torch.randn(one.outer, one.inner) for one in workload.encoder_products(size, 1)]

    def collate(self, batch):
        wanted = workload.products(self.size, workload.source_tokens(batch), workload.target_tokens(batch))
        return [(one.times, _Product(one)) for one in wanted]

    def step(self, batch):
        for times, product in batch:
            for _ in range(times):
                product()
        return 0.0

    @torch.inference_mode()
    def decode(self, group, beam):
        length = len(group[0]) + 1
        for weight in self.encoder:
            for _ in range(self.size.layers):
                self._multiply(len(group) * length, weight)
        for _ in range(length):
            for weight in self.weights:
                self._multiply(len(group) * beam, weight)
        return [[0] * length for _ in group]

    def _multiply(self, rows, weight):
        columns = weight.shape[1]
        if self.inputs.numel() < rows * columns:
            self.inputs = torch.randn(rows * columns)
        functional.linear(self.inputs[: rows * columns].view(rows, columns), weight)


class _Product:
    """One product and the two of its gradients, into memory that is there already."""

    memory = {}  # shared by all: only the largest of each kind is kept

    def __init__(self, product):
        self.shapes = {
            "input": (product.rows, product.inner),
            "weight": (product.outer, product.inner),
            "output": (product.rows, product.outer),
        }

    def __call__(self):
        given, weight, output = self._take("input"), self._take("weight"), self._take("output")
        torch.mm(given, weight.t(), out=self._take("output", "made"))
        torch.mm(output, weight, out=self._take("input", "made"))
        torch.mm(output.t(), given, out=self._take("weight", "made"))

    def _take(self, kind, role="given"):
        rows, columns = self.shapes[kind]
        kept = self.memory.get((kind, role))
        if kept is None or kept.numel() < rows * columns:
            kept = self.memory[kind, role] = torch.randn(rows * columns)
        return kept[: rows * columns].view(rows, columns)
