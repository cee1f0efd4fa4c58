"""Who trains a decoder-only Transformer on the GPU: the targets of the same batches, without their sources."""

import torch
from torch import nn

from bench import workload
from bench.gpu import training
from bench.gpu.training import Steps, own_batches, packed, padded_steps, saccade_pairs, steps_with_cuda_graph
from bench.gpu.workload import Batch


def saccade_step(size: workload.Size, batches: list[Batch]):
    """saccade's fast path: packed batches, the step captured as a CUDA graph."""
    texts = without_sources(batches)
    prepared = [(pairs, batch.target_tokens) for pairs, batch in zip(packed(texts), texts, strict=True)]
    return steps_with_cuda_graph(saccade_model(size), size, prepared)


def saccade_own(size: workload.Size, batches: list[Batch]):
    """The same path on the same sentences, in the batches saccade would make of them."""
    return steps_with_cuda_graph(saccade_model(size), size, own_batches(without_sources(batches)))


def saccade_readable(size: workload.Size, batches: list[Batch]) -> Steps:
    """The padded path, as `saccade train` takes it without the fast one."""
    from saccade.training.objective import Objective

    model, texts = saccade_model(size).to(training.DEVICE).train(), without_sources(batches)
    objective = Objective(model, size.smoothing, autocast=True)
    prepared = [(saccade_pairs(batch).to(training.DEVICE), batch.target_tokens) for batch in texts]

    def forward(prepared_batch):
        pairs, tokens = prepared_batch
        return objective(pairs).smoothed / tokens

    return Steps(model, prepared, forward, texts)


def torch_nn(size: workload.Size, batches: list[Batch], compiled: bool = False) -> Steps:
    """torch's own encoder stack with a causal mask, which is the same model."""
    model = Network(size).to(training.DEVICE).train()
    return padded_steps(size, model, batches, torch.compile(model, dynamic=True) if compiled else model)


class Network(nn.Module):
    """Embeddings, torch's layers, and the embeddings again."""

    def __init__(self, size: workload.Size) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(size.width, size.heads, size.inner, size.dropout, batch_first=True)
        self.embedding = nn.Embedding(size.vocabulary, size.width)
        self.positions = nn.Embedding(1024, size.width)
        self.stack = nn.TransformerEncoder(layer, size.layers, enable_nested_tensor=False)

    def forward(self, source, reads):  # noqa: ARG002 - called as every padded model is
        """The logits of every position."""
        length = reads.shape[1]
        vectors = self.embedding(reads) + self.positions(torch.arange(length, device=reads.device))
        causal = torch.ones(length, length, dtype=torch.bool, device=reads.device).triu(1)
        return self.stack(vectors, mask=causal, is_causal=True) @ self.embedding.weight.T


def saccade_model(size: workload.Size):
    """The decoder alone of that size; random weights."""
    from saccade.models.transformer_language_model import TransformerLanguageModel, TransformerLanguageModelConfig

    config = TransformerLanguageModelConfig(
        layers=size.layers, width=size.width, inner_width=size.inner, heads=size.heads, dropout=size.dropout
    )
    return TransformerLanguageModel(config, size.vocabulary, size.vocabulary)


def without_sources(batches: list[Batch]) -> list[Batch]:
    """The same targets, each after nothing."""
    return [Batch([[] for _ in batch.targets], batch.targets) for batch in batches]


IMPLEMENTATIONS = {
    "saccade": saccade_step,
    "saccade, its own batches": saccade_own,
    "saccade, padded": saccade_readable,
    "nn.TransformerEncoder": torch_nn,
    "nn.TransformerEncoder, compiled": lambda size, batches: torch_nn(size, batches, compiled=True),
}
