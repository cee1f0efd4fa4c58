"""Who trains on the GPU, each as its users would: bfloat16 autocast, fused Adam, label smoothing."""

import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from bench import workload
from bench.gpu.workload import TOKENS, Batch

DEVICE = "cuda"


class Steps:
    """A model's prepared batches, and the step that trains on one of them and gives its loss, still on the device."""

    def __init__(self, model, prepared, forward, batches):
        self.parameters = sum(parameter.numel() for parameter in model.parameters())
        self.tokens = [batch.target_tokens for batch in batches]
        self.prepared = prepared
        self.forward = forward
        self.optimizer = torch.optim.Adam(model.parameters(), 1e-4, (0.9, 0.98), 1e-9, fused=True)

    def __call__(self, index):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.forward(self.prepared[index % len(self.prepared)])
        loss.backward()
        self.optimizer.step()
        return loss.detach()


# --- saccade ---------------------------------------------------------------------------------------------------------


def saccade_step(size: workload.Size, batches: list[Batch]):
    """saccade's fast path: packed batches, the step captured as a CUDA graph."""
    prepared = [(pairs, batch.target_tokens) for pairs, batch in zip(packed(batches), batches, strict=True)]
    return steps_with_cuda_graph(saccade_model(size), size, prepared)


def saccade_own(size: workload.Size, batches: list[Batch]):
    """The same path on the same sentences, in the batches saccade would make of them: mixed lengths, hardly a gap."""
    return steps_with_cuda_graph(saccade_model(size), size, own_batches(batches))


def saccade_model(size: workload.Size):
    """The Transformer of that size, otherwise the paper's; random weights."""
    from bench.adapters.saccade import build

    return build(size, attention_dropout=0.0)


def own_batches(batches: list[Batch]):
    """The sentences in batches as saccade makes them, each with the number of its target tokens."""
    from saccade.data.batches import Position

    with tempfile.TemporaryDirectory() as folder:
        stream = _layout(batches, folder).stream(Position())
        # The last batch of an epoch has what is left over; in a corpus that is one batch of hundreds.
        own = [pairs for pairs, _ in zip(stream, batches[1:], strict=False)]
    return [(pairs, pairs.target.total) for pairs in own]


def steps_with_cuda_graph(model, size: workload.Size, prepared):
    """The step as the training loop takes it: captured once, and replayed for every batch."""
    from saccade.training.config import TrainingConfig
    from saccade.training.objective import Objective
    from saccade.training.optimizer import adam
    from saccade.training.step_cuda_graph import CudaGraphStepper

    model = model.to(DEVICE).train()
    config = TrainingConfig(label_smoothing=size.smoothing)
    objective = Objective(model, config.label_smoothing, autocast=True)
    stepper = CudaGraphStepper(objective, adam(model, config), config, torch.device(DEVICE))
    return StepperSteps(model, [(pairs.to(DEVICE), tokens) for pairs, tokens in prepared], stepper)


class StepperSteps:
    """Steps taken as the training loop takes them: the loss of a step is read after the next was launched."""

    def __init__(self, model, prepared, stepper):
        self.parameters = sum(parameter.numel() for parameter in model.parameters())
        self.tokens = [tokens for _, tokens in prepared]
        self.prepared = prepared
        self.stepper = stepper
        self.taken = 0
        self.in_flight = None

    def __call__(self, index):
        pairs, tokens = self.prepared[index % len(self.prepared)]
        self.taken += 1
        outcome = self.stepper.take([pairs], tokens, self.taken, 1e-4)
        if self.in_flight is not None:
            self.in_flight.item()
        self.in_flight = _Loss(outcome, tokens)
        return self.in_flight


class _Loss:
    def __init__(self, outcome, tokens):
        self.outcome = outcome
        self.tokens = tokens

    def item(self):
        return self.outcome.loss().smoothed / self.tokens


def packed(batches: list[Batch]):
    """The same batches without padding, all of one shape: as many slots and sentences as the largest needs."""
    counts = [len(batch.sources) for batch in batches]
    with tempfile.TemporaryDirectory() as folder:
        layout = _layout(batches, folder)
        layout.sentences = -(-max(counts) // 32) * 32
        ends = np.cumsum([0, *counts])
        (store,) = layout.stores
        return [layout.collate(store, np.arange(*ends[number : number + 2])) for number in range(len(batches))]


def _layout(batches: list[Batch], folder: str):
    from saccade.data.packed import PackedBatches
    from saccade.data.token_store import TokenStore

    longest = max(max(batch.target_tokens, sum(len(row) + 1 for row in batch.sources)) for batch in batches)
    pairs = [pair for batch in batches for pair in zip(batch.sources, batch.targets, strict=True)]
    return PackedBatches([TokenStore.build(Path(folder) / "store", pairs)], max(longest, TOKENS), seed=1)


def saccade_readable(size: workload.Size, batches: list[Batch]) -> Steps:
    """The padded path, as `saccade train` takes it without the fast one."""
    from saccade.training.objective import Objective

    model = saccade_model(size).to(DEVICE).train()
    objective = Objective(model, size.smoothing, autocast=True)
    prepared = [(saccade_pairs(batch).to(DEVICE), batch.target_tokens) for batch in batches]
    return Steps(model, prepared, lambda batch: objective(batch[0]).smoothed / batch[1], batches)


def saccade_pairs(batch: Batch):
    """A batch as saccade's padded pairs."""
    from bench.adapters.saccade import sequences
    from saccade.sequences import Pairs

    return Pairs(sequences(batch.sources), sequences(batch.targets))


# --- peers -----------------------------------------------------------------------------------------------------------


def torch_nn(size: workload.Size, batches: list[Batch], compiled: bool = False) -> Steps:
    from bench.adapters.torch_nn import Network

    model = Network(size).to(DEVICE).train()
    run = torch.compile(model, dynamic=True) if compiled else model
    return padded_steps(size, model, batches, run)


def marian(size: workload.Size, batches: list[Batch], attention: str, compiled: bool = False) -> Steps:
    from transformers import MarianMTModel

    from bench.adapters.huggingface import marian_config

    config = marian_config(size, attention_dropout=0.0, attn_implementation=attention)
    model = MarianMTModel(config).to(DEVICE).train()

    def logits(source, reads):
        return model(
            input_ids=source,
            attention_mask=source != workload.PAD,
            decoder_input_ids=reads,
            decoder_attention_mask=reads != workload.PAD,
            use_cache=False,
        ).logits

    return padded_steps(size, model, batches, torch.compile(logits, dynamic=True) if compiled else logits)


def padded_steps(size, model, batches, run) -> Steps:
    """Steps of a peer, whose `run` gives logits for padded matrices of sources and of what the decoder reads."""
    from bench.adapters.teacher_forcing import teacher_forcing

    def forward(batch):
        source, reads, writes = batch
        with torch.autocast(DEVICE, torch.bfloat16):
            logits = run(source, reads)
            return functional.cross_entropy(
                logits.flatten(0, 1), writes.flatten(), ignore_index=workload.PAD, label_smoothing=size.smoothing
            )

    pairs = [list(zip(batch.sources, batch.targets, strict=True)) for batch in batches]
    prepared = [tuple(matrix.to(DEVICE) for matrix in teacher_forcing(one)) for one in pairs]
    return Steps(model, prepared, forward, batches)


IMPLEMENTATIONS = {
    "saccade": saccade_step,
    "saccade, its own batches": saccade_own,
    "saccade, padded": saccade_readable,
    "nn.Transformer": torch_nn,
    "nn.Transformer, compiled": lambda size, batches: torch_nn(size, batches, compiled=True),
    "Hugging Face Marian, eager attention": lambda size, batches: marian(size, batches, "eager"),
    "Hugging Face Marian, sdpa": lambda size, batches: marian(size, batches, "sdpa"),
    "Hugging Face Marian, sdpa, compiled": lambda size, batches: marian(size, batches, "sdpa", compiled=True),
}
