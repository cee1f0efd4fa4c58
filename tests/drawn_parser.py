"""A small parser with drawn weights, over an invented treebank: only the rules keep its outputs to trees."""

import random

import torch

from saccade.data.synthetic_treebank import derive
from saccade.data.tokenizer import Tokenizer
from saccade.data.tree_symbols import TreeSymbols
from saccade.data.trees import Leaves
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.serving.bundle import Bundle

SIZES = {"encoder_layers": 1, "decoder_layers": 2, "width": 24, "inner_width": 40, "heads": 2, "tie": "none"}
_CHANCE = random.Random(3)
TREES = [derive(_CHANCE) for _ in range(200)]


def drawn_parser(leaves: Leaves = "tags") -> Bundle:
    """The same for the same leaves."""
    symbols = TreeSymbols(leaves)
    list(symbols.watching(("", str(tree)) for tree in TREES))
    source, target = Tokenizer.train([" ".join(tree.words) for tree in TREES], pieces="word"), symbols.tokenizer()
    config = ARCHITECTURES["transformer"].config(**SIZES)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        model = build("transformer", config, source.size, target.size).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(2.5)  # so that heads look at something rather than at everything
    return Bundle(
        model=model,
        architecture="transformer",
        model_config=config,
        source_tokenizer=source,
        target_tokenizer=target,
        task="parsing",
        source_language=None,
        target_language=None,
        decoding={"size": 2, "alpha": 0.3, "extra_length": 12},
        digest="parser",
        leaves=leaves,
    )
