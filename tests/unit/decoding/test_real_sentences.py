"""The same thousand sentences one by one, and in shuffled batches of sixty-four."""

import random
import zlib

import pytest
import torch

from saccade.decoding.beam import BeamConfig, beam_search
from saccade.models.transformer import Transformer, TransformerConfig
from saccade.sequences import EOS, Sequences

VOCABULARY = 2003


@pytest.mark.slow
def test_a_thousand_translations_depend_on_no_batch_mate_in_single_precision(corpora):
    lines = (corpora / "multi30k" / "test_2016_flickr.de").read_text(encoding="utf-8").splitlines()
    sources = [[*(4 + zlib.crc32(word.encode()) % (VOCABULARY - 4) for word in line.split()), EOS] for line in lines]
    assert len(sources) == 1000
    config = TransformerConfig(encoder_layers=2, decoder_layers=2, width=32, inner_width=61, heads=4, tie="none")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = Transformer(config, VOCABULARY, VOCABULARY).eval()
    with torch.no_grad():
        model.output.weight.mul_(3)  # as sharp as a trained model: most positions have a clear favourite
    beam = BeamConfig(extra_length=3)
    alone = [beam_search(model, Sequences.of([source]), beam)[0][0] for source in sources]

    places = list(range(len(sources)))
    random.Random(11).shuffle(places)
    different = 0
    for start in range(0, len(places), 64):
        batch = places[start : start + 64]
        found = beam_search(model, Sequences.of([sources[place] for place in batch]), beam)
        different += sum(one[0].tokens != alone[place].tokens for one, place in zip(found, batch, strict=True))
    assert different == 0
