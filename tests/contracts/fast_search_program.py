"""Searches sentences with the fast search and with the plain one, and prints what came out otherwise.

python fast_search_program.py SENTENCES [--size 64] [--nbest 4]

A program of its own, since the shape checks that tests switch on would make it four times as slow. Printed is a JSON
object: the number of sentences and of outputs, the largest difference between two scores of the same output, and for
each sentence whose outputs differ, whether the difference is gone when the model computes in double precision.
"""

import argparse
import json
from pathlib import Path

import torch

import saccade
from saccade.decoding.beam import beam_search
from saccade.decoding.searcher import Searcher
from saccade.sequences import Sequences
from saccade.special_tokens import EOS


def tokens_of(hypotheses):
    return [hypothesis.tokens for hypothesis in hypotheses]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--nbest", type=int, default=4)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    translator = saccade.load("en-es", device="cpu")
    lines = asked.sentences.read_text(encoding="utf-8").splitlines()
    rows = [[*tokens, EOS] for tokens in translator.source_tokenizer.encode(lines)]
    config = translator.beam_search(size=4, nbest=asked.nbest)
    model, searcher = translator.model, Searcher(translator.model)
    exact = Searcher(translator.model, torch.float64)
    outputs, rounding, different = 0, 0.0, []
    for start in range(0, len(rows), asked.size):
        source = Sequences.of(rows[start : start + asked.size])
        for place, (ours, theirs) in enumerate(
            zip(searcher(source, config), beam_search(model, source, config), strict=True)
        ):
            outputs += len(theirs)
            if tokens_of(ours) == tokens_of(theirs):
                rounding = max(
                    rounding, *(abs(one.score - other.score) for one, other in zip(ours, theirs, strict=True))
                )
                continue
            alone = source.select(torch.tensor([place]))
            equal = tokens_of(exact(alone, config)[0]) == tokens_of(beam_search(exact.model, alone, config)[0])
            different.append({"place": start + place, "equal_in_double_precision": equal})
    report = {"sentences": len(rows), "outputs": outputs, "rounding": rounding, "different": different}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
