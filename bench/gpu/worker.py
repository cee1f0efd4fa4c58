"""One subject in its own process on the GPU: does what it is asked in JSON lines, so that a hang ends with it.

python -m bench.gpu.worker train|decode|sustained|floor SUBJECT SIZE BATCHES
"""

import json
import os
import sys
import time
import traceback
from dataclasses import dataclass

import torch

from bench import work
from bench.gpu import decoding, floor, training
from bench.gpu.batches import TOKENS, batches
from bench.gpu.decoding_work import BATCHES, BEAM, LENGTH
from bench.gpu.sustained import sustained


@dataclass(frozen=True)
class Task:
    """Who, how large, and how many different batches."""

    subject: str
    size: work.Size
    batches: int


class Train:
    """Steps on the same batches for everybody."""

    def __init__(self, task):
        made = batches(task.batches, task.size.vocabulary)
        self.steps = training.SUBJECTS[task.subject](task.size, made)
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

        The peak of memory is that of the whole process: what a recording holds was taken before.
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


class Decode:
    """The same sentences for everybody, at three batch sizes."""

    def __init__(self, task):
        self.decode = decoding.SUBJECTS[task.subject](task.size)
        self.sources = {batch: self.decode.prepare(decoding.sources(batch, task.size.vocabulary)) for batch in BATCHES}

    def warm(self, steps):
        began = time.perf_counter()
        for batch, rows in self.sources.items():
            for _ in range(steps):
                lengths = [len(output) for output in self.decode(rows)]
            if lengths != [LENGTH] * batch:
                raise ValueError(f"wrote {sorted(set(lengths))} tokens, not {LENGTH}")
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

    def __init__(self, task):
        self.size = task.size

    def measure(self, minutes):
        return sustained(self.size, minutes)


class Floor:
    """The products alone."""

    def __init__(self, task):
        self.size = task.size

    def measure(self):
        rows = {str(batch): batch * BEAM for batch in BATCHES}
        return {
            "train": floor.training_floor(self.size, TOKENS),
            "decode": {name: floor.decoding_floor(self.size, count, LENGTH) for name, count in rows.items()},
        }


KINDS = {"train": Train, "decode": Decode, "sustained": Sustained, "floor": Floor}


def main():
    wire = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    kind, subject, size, count = sys.argv[1:5]
    task = Task(subject, work.SIZES[size], int(count))
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(0)
    worker = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if worker is None:
                worker = KINDS[kind](task)
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            reason = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {reason[-1] if reason else ''}"[:300]}
        wire.write(json.dumps(answer) + "\n")
        wire.flush()


if __name__ == "__main__":
    main()
