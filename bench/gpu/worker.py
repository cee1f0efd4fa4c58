"""One implementation in its own process on the GPU, so that one that hangs can be ended.

python -m bench.gpu.worker train|language-model|decode|sustained|roofline SUBJECT SIZE BATCHES
"""

import sys
import time
from dataclasses import dataclass

import torch

from bench import workload
from bench.gpu import decoding, language_model, roofline, training
from bench.gpu.sustained import sustained
from bench.gpu.workload import BEAM, DECODED_LENGTH, DECODING_BATCHES, TOKENS, batches
from bench.worker import serve


@dataclass(frozen=True)
class GpuSetup:
    """Which implementation, at which size of the model, on how many different batches."""

    implementation: str
    size: workload.Size
    batches: int


class Train:
    """Steps on the same batches for everybody."""

    implementations = training.IMPLEMENTATIONS

    def __init__(self, setup):
        made = batches(setup.batches, setup.size.vocabulary)
        self.steps = self.implementations[setup.implementation](setup.size, made)
        self.tokens = self.steps.tokens

    def warm(self, steps):
        """Compiles and plans; the seconds until that is done, and until the first step was."""
        began = time.perf_counter()
        self.steps(0).item()
        first = time.perf_counter() - began
        for index in range(1, steps):
            loss = self.steps(index).item()
        return {"first_step_s": first, "warmup_s": time.perf_counter() - began, "loss": loss}

    def measure(self, start, steps):
        """Milliseconds from the end of one step to the end of the next, nothing waited for in between.

        The peak of memory is that of the whole process: a CUDA graph takes its memory before.
        """
        events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
        torch.cuda.synchronize()
        events[0].record()
        for index in range(steps):
            loss = self.steps(start + index)
            events[index + 1].record()
        torch.cuda.synchronize()
        return {
            "ms": [events[index].elapsed_time(events[index + 1]) for index in range(steps)],
            "tokens": [self.tokens[(start + index) % len(self.tokens)] for index in range(steps)],
            "peak_gib": torch.cuda.max_memory_allocated() / 2**30,
            "parameters": self.steps.parameters,
            "loss": loss.item(),
        }


class TrainLanguageModel(Train):
    """The same of a decoder alone."""

    implementations = language_model.IMPLEMENTATIONS


class Decode:
    """The same sentences for everybody, at three batch sizes."""

    def __init__(self, setup):
        self.decode = decoding.IMPLEMENTATIONS[setup.implementation](setup.size)
        self.sources = {
            batch: self.decode.prepare(decoding.sources(batch, setup.size.vocabulary)) for batch in DECODING_BATCHES
        }

    def warm(self, steps):
        began = time.perf_counter()
        for batch, rows in self.sources.items():
            for _ in range(steps):
                lengths = [len(output) for output in self.decode(rows)]
            if lengths != [DECODED_LENGTH] * batch:
                raise ValueError(f"wrote {sorted(set(lengths))} tokens, not {DECODED_LENGTH}")
        return {"warmup_s": time.perf_counter() - began}

    def measure(self, steps):
        result = {}
        for batch, rows in self.sources.items():
            result[str(batch)] = []
            for _ in range(steps):
                torch.cuda.synchronize()
                began = time.perf_counter()
                self.decode(rows)
                torch.cuda.synchronize()
                result[str(batch)].append(time.perf_counter() - began)
        return {"seconds": result, "peak_gib": torch.cuda.max_memory_allocated() / 2**30}


class Sustained:
    """The training loop itself."""

    def __init__(self, setup):
        self.size = setup.size

    def measure(self, minutes):
        return sustained(self.size, minutes)


class Roofline:
    """The products alone."""

    def __init__(self, setup):
        self.size = setup.size

    def measure(self):
        rows = {str(batch): batch * BEAM for batch in DECODING_BATCHES}
        return {
            "train": roofline.training_roofline(workload.products(self.size, TOKENS, TOKENS), TOKENS),
            "language-model": roofline.training_roofline(workload.language_model_products(self.size, TOKENS), TOKENS),
            "decode": {
                name: roofline.decoding_roofline(self.size, count, DECODED_LENGTH) for name, count in rows.items()
            },
        }


KINDS = {
    "train": Train,
    "language-model": TrainLanguageModel,
    "decode": Decode,
    "sustained": Sustained,
    "roofline": Roofline,
}


def main():
    kind, implementation, size, count = sys.argv[1:5]
    setup = GpuSetup(implementation, workload.SIZES[size], int(count))
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    serve(lambda: KINDS[kind](setup))


if __name__ == "__main__":
    main()
