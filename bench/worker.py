"""One library in its own process: reads requests from standard input, answers in JSON lines.

    PYTHON -m bench.worker ADAPTER[@VARIANT]

Only the standard library is imported here, because the environments of peers hold little else.
"""

import importlib
import json
import os
import sys
import time
import traceback
from functools import cache

from bench import workload


def serve(make_worker):
    """Answers each line `{"do": METHOD, ...}` with what that method of the worker returns, or with its error.

    The worker is made when the first request comes, so that an error in making it is an answer too.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    make_worker = cache(make_worker)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(make_worker(), request.pop("do"))(**request)
        except Exception as error:
            traceback.print_exc()
            reason = str(error).strip().splitlines()
            answer = {"error": f"{type(error).__name__}: {reason[-1] if reason else ''}"[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


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
        self.size = workload.SIZES[size]
        self.adapter = module.Adapter(workload.Setup(self.size, mode, self.variant, threads))
        return {"info": self.adapter.info}

    def load(self, corpus, count, tokens):
        made = workload.batches(workload.CORPORA[corpus], count, self.size.vocabulary, tokens)
        self.batches = [self.adapter.collate(batch) for batch in made]
        return {}

    def step(self, index):
        batch = self.batches[index]
        cpu, began = time.process_time(), time.perf_counter()
        loss = self.adapter.step(batch)
        return {"seconds": [time.perf_counter() - began], "cpu_seconds": time.process_time() - cpu, "loss": loss}

    def decode(self, count, batch, beam, limit=None):
        seconds, cpu = [], time.process_time()
        for group in workload.sources(count, batch, self.size.vocabulary)[:limit]:
            began = time.perf_counter()
            outputs = self.adapter.decode(group, beam)
            seconds.append(time.perf_counter() - began)
            lengths, wanted = [len(output) for output in outputs], len(group[0]) + 1
            if lengths != [wanted] * len(group):
                return {"error": f"wrote {sorted(set(lengths))} tokens x {len(outputs)}, not {wanted} x {len(group)}"}
        return {"seconds": seconds, "cpu_seconds": time.process_time() - cpu}


if __name__ == "__main__":
    serve(lambda: Worker(sys.argv[1]))
