"""Handwritten digits and spoken vowels as tensors, for claims about pictures and sound."""

from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from saccade.data.catalogue import find
from saccade.data.measurements import LEVELS, SIDE
from saccade.data.parallel_text import every_pair


@cache
def digits(split: str) -> tuple[Float[Tensor, "picture side side"], Int[Tensor, " picture"]]:
    """The pictures of a split, points from 0 to 1, and the digit that each shows."""
    lines = list(every_pair(find("digits").splits[split]))
    points = torch.tensor([[int(level) for level in picture.split()] for picture, _ in lines])
    return points.view(-1, SIDE, SIDE) / (LEVELS - 1), torch.tensor([int(digit) for _, digit in lines])


@cache
def vowels(
    split: str,
) -> tuple[Float[Tensor, "sound moment channel"], Bool[Tensor, "sound moment"], Int[Tensor, " sound"]]:
    """The sounds of a split, padded behind; which moments are real; and the speakers, counted from zero."""
    lines = list(every_pair(find("vowels").splits[split]))
    sounds = [
        torch.tensor([[float(number) for number in moment.split(",")] for moment in sound.split()])
        for sound, _ in lines
    ]
    lengths = torch.tensor([len(sound) for sound in sounds])
    padded = pad_sequence(sounds, batch_first=True)
    real = torch.arange(padded.shape[1]) < lengths.unsqueeze(1)
    return padded, real, torch.tensor([int(speaker) - 1 for _, speaker in lines])
