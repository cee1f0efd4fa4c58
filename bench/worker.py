"""One library in its own process and environment: reads requests from standard input, answers in JSON lines.

    PYTHON bench/worker.py ADAPTER[@VARIANT]

The environment holds that library and not the bench, so the bench's folder is put on the path here.
"""

import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from bench import work  # noqa: E402 - the path comes first


class Worker:
    """An adapter and the batches it was given."""

    def __init__(self, name):
        self.name, _, self.variant = name.partition("@")

    def build(self, size, mode, threads):
        module = importlib.import_module(f"bench.adapters.{self.name}")
        if "torch" in sys.modules:
            torch = sys.modules["torch"]
            torch.set_num_threads(threads)
            torch.manual_seed(1)
        self.size = work.SIZES[size]
        self.adapter = module.Adapter(work.Task(self.size, mode, self.variant, threads))
        return {"info": self.adapter.info}

    def load(self, corpus, count, tokens):
        made = work.batches(work.CORPORA[corpus], count, self.size.vocabulary, tokens)
        self.batches = [self.adapter.collate(batch) for batch in made]
        return {}

    def step(self, index):
        batch = self.batches[index]
        processor, began = time.process_time(), time.perf_counter()
        loss = self.adapter.step(batch)
        return {"seconds": [time.perf_counter() - began], "processor": time.process_time() - processor, "loss": loss}

    def decode(self, count, batch, beam, limit=None):
        seconds, processor = [], time.process_time()
        for group in work.sources(count, batch, self.size.vocabulary)[:limit]:
            began = time.perf_counter()
            outputs = self.adapter.decode(group, beam)
            seconds.append(time.perf_counter() - began)
            lengths, wanted = [len(output) for output in outputs], len(group[0]) + 1
            if lengths != [wanted] * len(group):
                return {"error": f"wrote {sorted(set(lengths))} tokens x {len(outputs)}, not {wanted} x {len(group)}"}
        return {"seconds": seconds, "processor": time.process_time() - processor}


def main():
    wire = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            reason = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {reason[-1] if reason else ''}"[:300]}
        wire.write(json.dumps(answer) + "\n")
        wire.flush()


if __name__ == "__main__":
    main()
