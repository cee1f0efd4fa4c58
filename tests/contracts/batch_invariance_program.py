"""Searches every sentence by itself and then in company, and prints what came out otherwise.

python batch_invariance_program.py SENTENCES [--start 0] [--every 1] [--size 64] [--padding 0] [--nbest 4] [--sample]

A program of its own, since the shape checks that tests switch on would make a thousand searches four times as slow.
Printed is a JSON object: the number of sentences, of outputs compared, the largest difference between two scores of
the same output, and for each sentence whose outputs differ both lists with their scores, and whether the difference
is gone when the model computes in double precision. If it is, rounding parted two candidates that tie but for it.
"""

import argparse
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

import saccade
from saccade.decoding.beam import beam_search
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.sampling import SamplingConfig, sample
from saccade.sequences import Sequences
from saccade.special_tokens import EOS

Found = list[list[Hypothesis]]
Search = Callable[[Sequence[int], int], Found]  # the outputs of the sentences at these places, padded so much further


def padded(rows: Sequence[list[int]], padding: int) -> Sequences:
    sequences = Sequences.of(rows)
    return Sequences(torch.nn.functional.pad(sequences.tokens, (0, padding)), sequences.lengths)


def search_for(rows: list[list[int]], translator, nbest: int, sampled: bool) -> Search:
    def beam(places: Sequence[int], padding: int) -> Found:
        search = translator.beam_search(size=4, nbest=nbest)
        return beam_search(translator.model, padded([rows[place] for place in places], padding), search)

    def draw(places: Sequence[int], padding: int) -> Found:
        generators = [torch.Generator().manual_seed(place) for place in places]
        chosen = SamplingConfig(temperature=0.7, top_p=0.95)
        return sample(translator.model, padded([rows[place] for place in places], padding), chosen, generators)

    return draw if sampled else beam


def in_company(search: Search, batches: list[list[int]], padding: int) -> Found:
    found = {}
    for batch in batches:
        found |= dict(zip(batch, search(batch, padding), strict=True))
    return [found[place] for place in sorted(found)]


def tokens_of(hypotheses: list[Hypothesis]) -> list[tuple[int, ...]]:
    return [hypothesis.tokens for hypothesis in hypotheses]


def differences(alone: Found, together: Found) -> list[int]:
    pairs = enumerate(zip(alone, together, strict=True))
    return [place for place, (ours, theirs) in pairs if tokens_of(ours) != tokens_of(theirs)]


def rounding(alone: Found, together: Found) -> float:
    """The largest difference between two scores of the same output."""
    gaps = [0.0]
    for ours, theirs in zip(alone, together, strict=True):
        scores = {hypothesis.tokens: hypothesis.score for hypothesis in ours}
        gaps += [abs(each.score - scores[each.tokens]) for each in theirs if each.tokens in scores]
    return max(gaps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sentences", type=Path)
    for name, default in (("start", 0), ("every", 1), ("size", 64), ("padding", 0), ("nbest", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--sample", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    translator = saccade.load("en-es", device="cpu")
    lines = asked.sentences.read_text(encoding="utf-8").splitlines()[asked.start :: asked.every]
    rows = [[*tokens, EOS] for tokens in translator.source_tokenizer.encode(lines)]
    search = search_for(rows, translator, asked.nbest, asked.sample)
    places = list(range(len(rows)))
    alone = [search([place], 0)[0] for place in places]
    random.Random(11).shuffle(places)
    batches = [places[start : start + asked.size] for start in range(0, len(places), asked.size)]
    together = in_company(search, batches, asked.padding)
    report = {"sentences": len(alone), "outputs": sum(map(len, alone)), "rounding": rounding(alone, together)}

    different = []
    translator.model.double()
    for place in differences(alone, together):
        batch = next(batch for batch in batches if place in batch)
        exact = search(batch, asked.padding)[batch.index(place)]
        lists = [[(each.score, each.tokens) for each in found[place]] for found in (alone, together)]
        equal = tokens_of(exact) == tokens_of(search([place], 0)[0])
        different.append({"place": place, "lists": lists, "equal_in_double_precision": equal})
    print(json.dumps(report | {"different": different}))


if __name__ == "__main__":
    main()
