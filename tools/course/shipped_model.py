"""Figures of the model inside the package, as it translates one sentence."""

import base64
from functools import cache
from typing import Any

import numpy as np
from tools.course.drawing import heat

import saccade

SENTENCE = "Where is the train station?"


@cache
def trace() -> dict[str, Any]:
    """Every intermediate number of the translation, computed on a CPU as everywhere."""
    return saccade.load("en-es", device="cpu").trace(SENTENCE)


def tensor(name: str) -> np.ndarray:
    """A tensor of the trace, by name."""
    stored = trace()["tensors"][name]
    return np.frombuffer(base64.b64decode(stored["data"]), dtype="<f4").reshape(stored["shape"])


def pieces(axis: str) -> list[str]:
    """The word pieces of an axis, as they are shown."""
    return [token["text"].strip() or token["piece"] for token in trace()["axes"][axis]["tokens"]]


def attention() -> str:
    """The weights by which words are aligned: the mean over the heads of one decoder layer."""
    return heat(
        f"The shipped model translates “{SENTENCE}”",
        pieces("target"),
        pieces("source"),
        tensor(trace()["alignment"]["tensor"]).tolist(),
        down="writes",
        across="looks at",
    )


def self_attention() -> str:
    """The third head of the encoder's first layer, which looks at neighbours."""
    return heat(
        "Encoder, first layer, third head of the shipped model",
        pieces("source"),
        pieces("source"),
        tensor("enc.0.self.weights")[2].tolist(),
        down="word",
        across="looks at",
    )
