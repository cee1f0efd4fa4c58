"""The rules of claims that take training, on figures made up for either side of each rule."""

import importlib
import pkgutil
from dataclasses import replace
from datetime import datetime

import pytest

import saccade.claims
from saccade.claims.catalogue import CLAIMS
from saccade.claims.claim import Measured, Verdict
from saccade.claims.page import plot_svg
from saccade.claims.results import measure
from saccade.errors import SourceError

HOLDS, CAVEAT, FAILS, UNDECIDED = Verdict


def flat(value, count):
    return [float(value)] * count


T9 = {
    "layer norm, other mates": 0.0,
    "layer norm, longer mate": 0.0,
    "layer norm, loss": 0.1,
    "batch norm, other mates": 0.3,
    "batch norm, longer mate": 0.3,
    "batch norm, loss": 0.2,
    "batch norm without padding, other mates": 0.3,
    "batch norm without padding, longer mate": 0.3,
    "batch norm without padding, loss": 0.2,
}
T7 = {
    "nothing": [1.0, 1.0, 1.0, 1.0, 1e-5],
    "norms alone": [1.0, 1.0, 1.0, 1.0, 1e-4],
    "residuals": [1.0, 1.0, 1.0, 1.0, 2.0],
    "residuals, norm after": flat(1, 5),
    "residuals, norm before": flat(1, 5),
}
T10 = {
    f"{wiring} {what} {when}": flat(what == "variance", 12)
    for wiring in ("post", "residual")
    for what in ("mean", "variance")
    for when in ("at the start", "after learning")
}
A20 = {
    f"{name}, {what}": value
    for name, reads in (("soft", 23.0), ("hard", 1.0), ("local-m", 7.0), ("local-m, needle near", 7.0))
    for what, value in (("reads", reads), ("accuracy", 1.0))
}
R4 = {name: [1.0, *flat(0.125, 23)] for name in ("tanh network", "GRU")} | {"attention": flat(1, 24)}
R10 = {"free running": [0.05 * place for place in range(19)], "teacher forcing": flat(0.05, 19)}
R11 = {"entries": [float(n) for n in range(1, 8)], "perplexity": flat(9, 7)}
R11 |= {"right": [[1.0 if distance < order else 0.5 for distance in range(1, 7)] for order in range(1, 8)]}
R14 = {f"reading {what}, loss": flat(0.1, 250) for what in ("the truth", "its own outputs")}
R14 |= {"reading the truth, steps": 40.0, "reading its own outputs, steps": 80.0}
A13 = {"errors": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5], "near": flat(1, 6)}
A15 = {"last multiply-adds": flat(1, 4), "search multiply-adds": flat(2, 4)}
A9 = {"probe": [0.5, 1.0, 1.0, 1.0], "probe at the top": 1.0, "spread at the bottom": 0.0}
T1 = {"encoder difference": 1e-7, "causal difference": 0.9, "accuracy, none": 0.5, "accuracy, sinusoidal": 1.0}
T13 = {"embedding, with": 22.6, "embedding, without": 1.0, "position": 16.0}
T13 |= {"loss, with": flat(3, 100), "loss, without": flat(3.1, 100)}
R3_KEEPS = {"tanh": 0.5, "LSTM, forget bias 1": 0.8, "GRU": 0.6, "LSTM, forget bias 5": 0.99, "GRU, keep bias 5": 0.99}
R3 = {name: [keeps**lag for lag in range(100)] for name, keeps in R3_KEEPS.items()}
T8 = {"accuracy": 1.0, "ratio": [2.0, 0.5, 0.5, 0.5, 2.0], "lost": [0.9, 0.0, 0.0, 0.0, 0.9]}

A18 = {f"{name}, parameters": 7.0 for name in ("learned", "diagonal", "none")}
A18 |= {"in order, learned": 0.99, "in order, diagonal": 0.98, "in order, none": 0.5}
A18 |= {"reordered, learned": 0.9, "reordered, diagonal": 0.8, "reordered, none": 0.7}
A6 = {"last, words": 4.0, "search, words": 2.0, "last, right": 1.0, "search, right": 1.0}
A6 |= {"last, later half": 0.7, "last, later half at the start": 0.7}
A7 = {"weight on the article": 0.5, "weight on the noun": 0.4}
A7 |= {f"{what} right, {word} hidden": 1.0 for what in ("form", "kind") for word in ("nothing", "article", "noun")}
A7 |= {"form right, noun hidden": 0.5, "kind right, article hidden": 0.5}
WIDTHS = (8, 16, 32, 64)
R5 = {f"{width}, longest": width / 8 for width in WIDTHS} | {"attention, longest": 12.0}
A10 = {"weather after learning": 0.5, "connective after learning": 0.1, "follows the weather": 1.0}
A10 |= {"weather at the start": 0.1, "connective at the start": 0.1, "keeps with the other connective": 1.0}
A8 = {"steps": 400.0, "right": 1.0, "right without the head": 0.5, "weight on the noun": 0.5}
A4 = {f"{name} {what}": 7.0 for name in ("last", "search") for what in ("steps", "parameters")}
A4 |= {"last": flat(1, 7), "search": flat(1, 7), "last falls": 0.4, "last falls beyond": 0.6}
A4 |= {"search falls": 0.0, "search falls beyond": 0.01}
R2 = {"tanh, longest": 20.0, "LSTM, longest": 40.0, "GRU, longest": 50.0, "attention, longest": 100.0}
R2 |= {name: flat(1, 9) for name in ("tanh", "LSTM", "GRU", "attention")}
T4 = {
    f"{task}, {heads}, {what}": {"right": one if heads == "1 head" else 1.0, "roles": 0.8, "keys": keys}[what]
    for task, one in (("by place and by name", 0.6), ("both by name", 0.9))
    for heads, keys in (("1 head", 2.0), ("2 heads", 1.5), ("4 heads", 1.1))
    for what in ("right", "roles", "keys")
}
A5_CASES = [f"{n} words, width {width}, up to {most}" for n in (9, 40, 200) for width in (32, 96) for most in (6, 9)]
A5 = {
    f"{case}, {what}": value
    for case in A5_CASES
    for what, value in (
        ("links right", 0.95),
        ("alignment error rate", 0.05),
        ("next word right", 1.0),
        ("steps", 500.0),
    )
}
R15 = {"encoder-decoder": 1.0, "tagger at best": 0.2, "steps": 900.0}
T12 = {
    f"{norms}, {variant}": 1.0 if variant == "whole" else 0.6
    for norms in ("without norms", "with norms")
    for variant in ("whole", "without ReLU", "without feed-forward")
}
A16_KINDS = ("sinusoidal positions", "learned positions", "no positions, past alone")
A16 = {f"{kind}, {what}": 0.97 for kind in A16_KINDS for what in ("within", "beyond")}
A16 |= {f"{kind}, steps": 500.0 for kind in A16_KINDS} | {kind: flat(1, 6) for kind in A16_KINDS}
R12_NETWORKS = (("perceptron", 0.1), ("convolution", 1.0), ("GRU", 1.0), ("attention", 0.5))
R12 = {
    f"{name}, {what}": value
    for name, unseen in (*R12_NETWORKS, ("attention to the last two", 1.0))
    for what, value in (("seen", 1.0), ("unseen", unseen), ("parameters", 7.0), ("steps", 300.0))
}
T22 = {"without positions, spread": 1.05, "with positions, spread": 1.5}
T22 |= {f"{kind}, steps": 500.0 for kind in ("without positions", "with positions")}
A12 = {"accuracy": 1.0, "same word first": 0.95, "rank correlation": 0.6, "share of the largest effect": 0.6}
A11 = {"content after learning": 0.6, "function after learning": 0.3, "heads that prefer content": 6.0}
A11 |= {"translator, content": 0.5, "translator, function": 0.2, "scene right": 1.0}
A17 = {f"{task}, {kind}": 0.9 for task in ("digits", "speakers") for kind in ("attention", "convolution")}
A17 |= {"digits, linear": 0.8, "speakers, linear": 0.8}
T21 = {"steps": [100.0, 200.0, 300.0, 400.0, 1001.0], "rank correlation": 1.0}
T3 = {"sinusoidal": 38.0, "learned": 38.4}
A44 = {"scaled, keys of width 8": 0.5, "unscaled, keys of width 8": 0.5}
A44 |= {"scaled, keys of width 64": 0.5, "unscaled, keys of width 64": 0.7}
C2 = {"with residuals": flat(1, 4), "without residuals": flat(1, 4), "a word too far": 0.12}
C2 |= {"with residuals, shallow": 1.0, "with residuals, deep": 1.0}
C2 |= {"without residuals, shallow": 1.0, "without residuals, deep": 0.12}
T16 = {f"{form}, {what}": flat(1, 4) for form in ("written out", "fused") for what in ("seconds", "bytes")}
T16 |= {f"{form}, {what}": 2.0 for form in ("written out", "fused") for what in ("time", "memory")}
T19_STATES = ("LSTM (a vector)", "TTT-linear (weights)", "self-attention (a list)")
T19 = {f"{name}, most pairs": value for name, value in zip(T19_STATES, (0.1, 0.5, 1.0), strict=True)}
T19 |= {f"{name}, on average": value for name, value in zip(T19_STATES, (0.3, 0.8, 1.0), strict=True)}
T19 |= {f"{name}, numbers": flat(64, 5) for name in T19_STATES} | {name: flat(1, 5) for name in T19_STATES}
T19 |= {"self-attention (a list), numbers": [64.0, 128.0, 256.0, 512.0, 1024.0]}
H3 = {"as it is": 20.0, "backwards": 22.0}
H1 = {"decoder alone, nats": 2.6, "RCTM II, nats": 2.2, "RCTM II, nats, shuffled": 2.6}
H2_ARMS = ("sequence to sequence", "RNN encoder-decoder", "another sequence to sequence")
H2 = dict.fromkeys(H2_ARMS, 20.0) | {"its own order": 20.0}
H2 |= {"with the RNN encoder-decoder": 21.0, "with another sequence to sequence": 21.0}
H11_LOST = {"RCTM II": 0.3, "RNN encoder-decoder": 0.5, "sequence to sequence": 0.5, "RNNsearch": 0.3, "Luong": 0.3}
H11 = {name: 40.0 for name in (*H11_LOST, "ConvS2S", "Transformer")}
H11 |= {f"{name}, lost": lost for name, lost in (H11_LOST | {"ConvS2S": 0.2, "Transformer": 0.2}).items()}
H11 |= {f"{name}, tokens a second": 50_000.0 for name in H11_LOST}
H11 |= {"ConvS2S, tokens a second": 90_000.0, "Transformer, tokens a second": 90_000.0}
T20_NETWORKS = ("convolution", "LSTM", "self-attention", "self-attention, larger")
T20 = {f"{task}, {name}": 0.9 for task in ("near", "far") for name in T20_NETWORKS}
T20 |= {"near, self-attention": 0.8, "far, self-attention": 0.8, "near, self-attention, larger": 0.85}
T20 |= {f"{task}, {name}, by number": flat(0.9, 5) for task in ("near", "far") for name in T20_NETWORKS}
T20 |= {f"{name}, parameters": 14_000.0 for name in T20_NETWORKS}
T24 = {f"{size} trees, {arm}, ill-formed": 0.1 for size in (1000, 40_000) for arm in ("Transformer", "RNNsearch")}
T24 |= {
    f"{size} trees, {arm}": f1 for size in (1000, 40_000) for arm, f1 in (("Transformer", 95.0), ("RNNsearch", 94.0))
}
H4 = {f"{arm}, {what}": 30.0 for arm in ("one vector", "RNNsearch") for what in ("short", "long")}
H4 |= {"one vector, falls": 15.0, "RNNsearch, falls": 1.0}
H5 = {"no feeding": 38.0, "feeding": 39.0, "dot": 40.0, "predicted window": 40.0}
H7 = {"LSTM": 30.0, "LSTMN": 29.0}
H8 = {"LSTM": 30.0, "attention": 29.0, "key-value": 28.0, "key-value-predict": 27.0, "4-gram": 27.0}
H9 = {"no penalty": 88.0, "penalty": 88.0, "no penalty, overlap": 0.5, "penalty, overlap": 0.1}
H10 = {"every layer": 40.0, "the first": 39.0, "the last": 39.0}
T23_ROWS = ("one head (A)", "narrow keys (B)", "two layers (C)", "no dropout (D)", "no smoothing (D)")
T23 = {"base": 38.0, **dict.fromkeys(T23_ROWS, 37.0)}
T27 = {"one": 38.0, "three": 38.2, "one, table": 100.0, "one, parameters": 700.0, "three, parameters": 900.0}
T25 = {"steps": 400.0, "right": flat(1, 7), "kept": flat(1, 7)}
T25 |= {f"{what}, {when}": 0.99 for what in ("right", "kept") for when in ("in training", "beyond")}


def crossed(tasks, names, value):
    """The same value for every name in every task."""
    return {f"{task}, {name}": value for task in tasks for name in names}


A23_KINDS = ("soft", "hard", "soft, others plausible", "hard, others plausible")
A23 = {name: 1.0 for name in (*A23_KINDS, "window large enough", "predicted window")} | {"window too small": 0.2}
A23 |= {f"{name}, over training": 0.9 for name in A23_KINDS} | {"soft, reads": 24.0, "hard, reads": 1.0}
A23 |= {"distance of the prediction": 0.5, "half a reach": 1.5}
A23 |= {f"{name}, curve": flat(1, 20) for name in (*A23_KINDS, "window too small", "window large enough")}
A24 = crossed(("4 items", "24 items"), ("soft", "straight through"), 0.9)
A24 |= crossed(("4 items", "24 items"), ("reinforced",), 0.8)
A24 |= {f"24 items, {name}, at the end": 1.0 for name in ("soft", "straight through", "reinforced")}
A25 = crossed(("as trained", "longer", "all count"), ("top-k", "sparsemax"), 0.9)
A25 |= crossed(("as trained", "longer", "all count"), ("soft", "subset"), 0.5)
A26 = crossed(("one length", "any length"), ("sigmoid",), 0.9) | crossed(
    ("one length", "any length"), ("softmax",), 0.5
)
A27 = crossed(("two items", "one item"), ("multi-dimensional",), 0.9) | crossed(
    ("two items", "one item"), ("single",), 0.5
)
A28 = {"apart": 0.3, "interactive": 0.4, "alternating": 0.4, "parallel": 0.9, "pooling": 0.9, "multi-grained": 0.9}
A29 = crossed(("a marked sentence", "a word alone"), ("hierarchical",), 0.9)
A29 |= crossed(("a marked sentence", "a word alone"), ("flat",), 0.5)
A30 = crossed(("answer in the phrase", "answer beside it"), ("rotatory",), 0.9)
A30 |= crossed(("answer in the phrase", "answer beside it"), ("one turn",), 0.5)
A31 = crossed(("several classes", "one class"), ("capsules",), 0.9)
A31 |= crossed(("several classes", "one class"), ("shared",), 0.5)
A32 = crossed(("one is worthless", "both are good"), ("attention",), 0.9)
A32 |= crossed(("one is worthless", "both are good"), ("mean",), 0.5)
A33 = crossed(("one to one", "any pace", "reordered"), ("two cursors", "learned", "diagonal"), 0.9)
A33 |= {"any pace, diagonal": 0.5, "reordered, two cursors": 0.5}
A33 |= {f"{name}, parameters": 7.0 for name in ("two cursors", "learned", "diagonal")}
A34 = crossed(("in two steps", "in one step"), ("via attention",), 0.9)
A34 |= crossed(("in two steps", "in one step"), ("separately",), 0.5)

A35 = {"in order, by attention": 0.99, "in order, by order": 1.0, "halves exchanged, by attention": 0.98}
A35 |= {"halves exchanged, by order": 0.4, "in order, steps": 100.0, "halves exchanged, steps": 200.0}
A40 = {f"{facts} facts, {hops} hops": 1.0 if hops >= facts else 0.4 for facts in (1, 2, 3) for hops in (1, 2, 3)}
A41 = {"where it chooses": 0.9, "anywhere": 0.7, "in the middle": 0.6, "the whole": 0.93}
A42 = {"attention": 0.95, "mean": 0.9, "convolution and mean": 0.95}
T40 = {
    f"{kind} {depth}{split}": 0.99 for kind in ("plain", "residual") for depth in (20, 56) for split in ("", ", test")
}
T40 |= {"plain 56": 0.8, "plain 56, test": 0.8}
T41 = {"largest": flat(0.1, 512), "rms": flat(0.1, 512), "sentences": flat(7, 3), "changed by length": flat(0, 3)}
T41 |= {"changed": 0.005, "own": 50.0, "other": 49.9, "standard error": 0.1}

A45 = {
    f"{attention}, {role}, another {side} word": flat(0.1, 2)
    for attention in ("attention to the source", "self-attention of the decoder")
    for role in ("query", "keys", "values")
    for side in ("target", "source")
}
A45 |= {f"attention to the source, {role}, another target word": flat(0, 2) for role in ("keys", "values")}

A46 = {"one hop": 90.0, "one hop, share of the largest effect": 0.6}
A47 = {"one hop": 90.0, "one hop, same word first": 0.95, "one hop, rank correlation": 0.9, "one hop, by chance": 0.1}

CASES = [
    ("A46", A46, HOLDS),
    ("A46", {**A46, "one hop, share of the largest effect": 0.4}, FAILS),
    ("A46", {**A46, "one hop": 70.0}, UNDECIDED),
    ("A47", A47, HOLDS),
    ("A47", {**A47, "one hop, same word first": 0.7}, CAVEAT),
    ("A47", {**A47, "one hop, same word first": 0.4}, FAILS),
    ("A47", {**A47, "one hop": 70.0}, UNDECIDED),
    ("A45", A45, HOLDS),
    ("A45", {**A45, "attention to the source, values, another target word": [0.0, 1e-7]}, FAILS),
    ("A45", {**A45, "attention to the source, query, another target word": [0.1, 0.0]}, FAILS),
    ("A45", {**A45, "attention to the source, keys, another source word": [0.0, 0.1]}, FAILS),
    ("A45", {**A45, "self-attention of the decoder, keys, another target word": flat(0, 2)}, FAILS),
    ("A45", {**A45, "attention to the source, query, another source word": flat(0, 2)}, HOLDS),
    ("A40", A40, HOLDS),
    ("A40", {**A40, "3 facts, 3 hops": 0.8}, CAVEAT),
    ("A40", {**A40, "3 facts, 2 hops": 0.95}, FAILS),
    ("A41", A41, HOLDS),
    ("A41", {**A41, "the whole": 0.96}, CAVEAT),
    ("A41", {**A41, "anywhere": 0.88}, FAILS),
    ("A41", {**A41, "where it chooses": 0.4, "anywhere": 0.6}, UNDECIDED),
    ("A42", A42, HOLDS),
    ("A42", {**A42, "convolution and mean": 1.0}, CAVEAT),
    ("A42", {**A42, "mean": 0.95}, FAILS),
    ("T41", T41, HOLDS),
    ("T41", {**T41, "changed": 0.02}, CAVEAT),
    ("T41", {**T41, "other": 49.7}, UNDECIDED),
    ("T41", {**T41, "other": 49.0, "standard error": 0.4}, UNDECIDED),
    ("T41", {**T41, "other": 49.0}, FAILS),
    ("T40", T40, HOLDS),
    ("T40", {**T40, "plain 56, test": 0.99}, CAVEAT),
    ("T40", {**T40, "plain 56": 0.985}, FAILS),
    ("T40", {**T40, "residual 56": 0.97}, FAILS),
    ("A23", A23, HOLDS),
    ("A23", {**A23, "soft, others plausible, over training": 0.8}, CAVEAT),
    ("A23", {**A23, "soft, over training": 0.8}, FAILS),
    ("A23", {**A23, "hard, reads": 2.0}, FAILS),
    ("A23", {**A23, "window too small": 0.6}, FAILS),
    ("A23", {**A23, "distance of the prediction": 1.6}, FAILS),
    ("A24", A24, HOLDS),
    ("A24", {**A24, "4 items, reinforced": 0.9}, CAVEAT),
    ("A24", {**A24, "24 items, reinforced": 0.9}, FAILS),
    ("A25", A25, HOLDS),
    ("A25", {**A25, "as trained, soft": 0.9}, CAVEAT),
    ("A25", {**A25, "longer, sparsemax": 0.5}, FAILS),
    ("A26", A26, HOLDS),
    ("A26", {**A26, "one length, softmax": 0.9}, CAVEAT),
    ("A26", {**A26, "any length, softmax": 0.85}, FAILS),
    ("A27", A27, HOLDS),
    ("A27", {**A27, "one item, single": 1.0}, CAVEAT),
    ("A27", {**A27, "two items, single": 0.85}, FAILS),
    ("A28", A28, HOLDS),
    ("A28", {**A28, "multi-grained": 0.8}, CAVEAT),
    ("A28", {**A28, "alternating": 0.85}, FAILS),
    ("A29", A29, HOLDS),
    ("A29", {**A29, "a word alone, flat": 1.0}, CAVEAT),
    ("A29", {**A29, "a marked sentence, flat": 0.85}, FAILS),
    ("A30", A30, HOLDS),
    ("A30", {**A30, "answer beside it, one turn": 0.9}, CAVEAT),
    ("A30", {**A30, "answer in the phrase, one turn": 0.85}, FAILS),
    ("A31", A31, HOLDS),
    ("A31", {**A31, "one class, shared": 1.0}, CAVEAT),
    ("A31", {**A31, "several classes, shared": 0.85}, FAILS),
    ("A32", A32, HOLDS),
    ("A32", {**A32, "both are good, mean": 1.0}, CAVEAT),
    ("A32", {**A32, "one is worthless, mean": 0.85}, FAILS),
    ("A33", A33, HOLDS),
    ("A33", {**A33, "one to one, two cursors": 0.8}, CAVEAT),
    ("A33", {**A33, "any pace, diagonal": 0.85}, FAILS),
    ("A33", {**A33, "reordered, two cursors": 0.88}, FAILS),
    ("A34", A34, HOLDS),
    ("A34", {**A34, "in one step, separately": 1.0}, CAVEAT),
    ("A34", {**A34, "in two steps, separately": 0.85}, FAILS),
    ("A35", A35, HOLDS),
    ("A35", {**A35, "in order, by attention": 0.9}, CAVEAT),
    ("A35", {**A35, "halves exchanged, by attention": 0.85}, FAILS),
    ("A35", {**A35, "halves exchanged, by order": 0.9}, FAILS),
    ("A35", {**A35, "in order, steps": 2001.0}, UNDECIDED),
    ("R5", R5, HOLDS),
    ("R5", {**R5, "attention, longest": 7.0}, CAVEAT),
    ("R5", {**R5, "16, longest": 0.9}, CAVEAT),
    ("R5", {**R5, "16, longest": 4.1}, CAVEAT),
    ("R5", {**R5, "64, longest": 4.0}, CAVEAT),
    ("R5", {**R5, "64, longest": 1.0}, FAILS),
    ("R5", {**R5, "8, longest": 0.0}, HOLDS),
    ("R5", {**R5, "64, longest": 1.9}, FAILS),
    ("A10", A10, HOLDS),
    ("A10", {**A10, "connective after learning": 0.46}, CAVEAT),
    ("A10", {**A10, "keeps with the other connective": 0.9}, CAVEAT),
    ("A10", {**A10, "follows the weather": 0.9}, FAILS),
    ("A6", A6, CAVEAT),
    ("A6", {**A6, "last, later half": 0.3}, CAVEAT),
    ("A6", {**A6, "last, later half": 0.5}, HOLDS),
    ("A6", {**A6, "search, words": 4.5}, FAILS),
    ("A7", A7, HOLDS),
    ("A7", {**A7, "weight on the noun": 0.2}, CAVEAT),
    ("A7", {**A7, "form right, noun hidden": 0.7}, FAILS),
    ("A7", {**A7, "form right, nothing hidden": 0.9}, UNDECIDED),
    ("A18", A18, HOLDS),
    ("A18", {**A18, "reordered, diagonal": 0.95}, CAVEAT),
    ("A18", {**A18, "reordered, none": 0.85}, CAVEAT),
    ("A18", {**A18, "in order, diagonal": 0.96}, FAILS),
    ("T8", T8, HOLDS),
    ("T8", {**T8, "lost": flat(0.5, 5)}, CAVEAT),
    ("T8", {**T8, "ratio": flat(2, 5)}, FAILS),
    ("R4", R4, HOLDS),
    ("R4", {**R4, "attention": [1.0, *flat(0.9, 23)]}, FAILS),
    ("R4", {**R4, "GRU": [1.0, *flat(0.125, 22), 0.3]}, FAILS),
    ("R10", R10, HOLDS),
    ("R10", {**R10, "free running": flat(0.3, 19)}, FAILS),
    ("R10", {**R10, "teacher forcing": [0.2 - 0.01 * place for place in range(19)]}, HOLDS),
    ("R10", {**R10, "teacher forcing": R10["free running"]}, FAILS),
    ("R11", R11, HOLDS),
    ("R11", {**R11, "entries": flat(5, 7)}, FAILS),
    ("R11", {**R11, "right": [[1.0] * 6] * 7}, FAILS),
    ("R14", R14, HOLDS),
    ("R14", {**R14, "reading its own outputs, steps": 79.0}, FAILS),
    ("R14", {**R14, "reading the truth, steps": 501.0, "reading its own outputs, steps": 501.0}, UNDECIDED),
    ("A9", A9, HOLDS),
    ("A9", {**A9, "probe at the top": 0.9}, FAILS),
    ("A9", {**A9, "spread at the bottom": 0.1}, FAILS),
    ("A13", A13, HOLDS),
    ("A13", {**A13, "near": flat(0.5, 6)}, FAILS),
    ("A13", {**A13, "errors": flat(0.2, 6)}, FAILS),
    ("A15", A15, FAILS),
    ("A15", {**A15, "search multiply-adds": flat(0.5, 4)}, HOLDS),
    ("A19", {"forwards": 0.7, "both ways": 0.9}, HOLDS),
    ("A19", {"forwards": 0.8, "both ways": 0.85}, FAILS),
    ("A20", A20, FAILS),
    ("A20", {**A20, "soft, reads": 5.0}, HOLDS),
    ("T7", T7, HOLDS),
    ("T7", {**T7, "residuals": [1.0, 1.0, 1.0, 1.0, 100.0]}, CAVEAT),
    ("T7", {**T7, "norms alone": flat(1, 5)}, CAVEAT),
    ("T7", {**T7, "nothing": flat(1, 5)}, FAILS),
    ("T1", T1, HOLDS),
    ("T1", {**T1, "accuracy, none": 0.4}, FAILS),
    ("T1", {**T1, "accuracy, sinusoidal": 0.8}, FAILS),
    ("T1", {**T1, "encoder difference": 0.1}, FAILS),
    ("T13", T13, HOLDS),
    ("T13", {**T13, "loss, without": flat(2.9, 100)}, CAVEAT),
    ("T13", {**T13, "position": 1.0}, FAILS),
    ("R3", R3, CAVEAT),
    ("R3", {**R3, "LSTM, forget bias 1": R3["GRU, keep bias 5"], "GRU": R3["GRU, keep bias 5"]}, HOLDS),
    ("R3", {**R3, "LSTM, forget bias 5": R3["tanh"]}, FAILS),
    ("T9", T9, HOLDS),
    ("T9", {**T9, "batch norm, loss": 0.05}, CAVEAT),
    ("T9", {**T9, "layer norm, longer mate": 0.1}, FAILS),
    ("T9", {**T9, "batch norm, other mates": 0.0}, FAILS),
    ("T10", T10, HOLDS),
    ("T10", {**T10, "post variance after learning": flat(1.5, 12)}, FAILS),
    ("T10", {**T10, "post mean at the start": flat(0.1, 12)}, FAILS),
    ("H3", H3, HOLDS),
    ("H3", {**H3, "backwards": 20.2}, FAILS),
    ("H1", H1, HOLDS),
    ("H1", {**H1, "RCTM II, nats, shuffled": 2.9}, CAVEAT),
    ("H1", {**H1, "RCTM II, nats, shuffled": 2.5}, FAILS),
    ("H1", {**H1, "RCTM II, nats": 2.55}, FAILS),
    ("H2", H2, HOLDS),
    ("H2", {**H2, "with another sequence to sequence": 22.0}, CAVEAT),
    ("H2", {**H2, "with the RNN encoder-decoder": 20.2}, FAILS),
    ("H11", H11, HOLDS),
    ("H11", {**H11, "ConvS2S, tokens a second": 70_000.0}, CAVEAT),
    ("H11", {**H11, "Luong, lost": 0.2}, CAVEAT),
    ("H11", {**H11, "sequence to sequence, lost": 0.2}, FAILS),
    ("T20", T20, HOLDS),
    ("T20", {**T20, "far, self-attention": 0.95}, CAVEAT),
    ("T20", {**T20, "near, self-attention, larger": 0.8}, CAVEAT),
    ("T20", {**T20, "near, LSTM": 0.81}, FAILS),
    ("T24", T24, HOLDS),
    ("T24", {**T24, "1000 trees, Transformer, ill-formed": 3.0}, CAVEAT),
    ("T24", {**T24, "40000 trees, Transformer": 94.2}, CAVEAT),
    ("T24", {**T24, "40000 trees, Transformer": 94.2, "1000 trees, Transformer": 90.0}, FAILS),
    ("H4", H4, HOLDS),
    ("H4", {**H4, "RNNsearch, falls": 8.0}, CAVEAT),
    ("H4", {**H4, "RNNsearch, falls": 13.0}, FAILS),
    ("H5", H5, HOLDS),
    ("H5", {**H5, "dot": 39.0}, CAVEAT),
    ("H5", {**H5, "no feeding": 39.0, "dot": 39.0, "predicted window": 39.0}, FAILS),
    ("H7", H7, HOLDS),
    ("H7", {**H7, "LSTMN": 29.8}, FAILS),
    ("H8", H8, HOLDS),
    ("H8", {**H8, "attention": 30.0}, CAVEAT),
    ("H8", {**H8, "attention": 30.0, "key-value": 30.0, "key-value-predict": 30.0}, FAILS),
    ("H9", H9, HOLDS),
    ("H9", {**H9, "penalty": 86.0}, CAVEAT),
    ("H9", {**H9, "penalty, overlap": 0.3}, FAILS),
    ("H10", H10, HOLDS),
    ("H10", {**H10, "the last": 39.8}, FAILS),
    ("T23", T23, HOLDS),
    ("T23", {**T23, "two layers (C)": 38.5}, CAVEAT),
    ("T23", dict.fromkeys(T23, 38.0), FAILS),
    ("T27", T27, HOLDS),
    ("T27", {**T27, "one": 37.0}, FAILS),
    ("T27", {**T27, "three, parameters": 800.0}, FAILS),
    ("A44", A44, HOLDS),
    ("A44", {**A44, "unscaled, keys of width 8": 0.7}, CAVEAT),
    ("A44", {**A44, "unscaled, keys of width 64": 0.51}, FAILS),
    ("C2", C2, CAVEAT),
    ("C2", {**C2, "with residuals, deep": 0.5}, HOLDS),
    ("C2", {**C2, "without residuals, deep": 1.0}, FAILS),
    ("C2", {**C2, "a word too far": 0.5}, FAILS),
    ("C2", {**C2, "with residuals, shallow": 0.9}, UNDECIDED),
    ("T3", T3, HOLDS),
    ("T3", {**T3, "learned": 39.1}, FAILS),
    ("T3", {**T3, "learned": 36.9}, FAILS),
    ("T16", T16, FAILS),
    ("T16", {**T16, "fused, time": 1.1}, HOLDS),
    ("T16", {**T16, "fused, time": 1.5}, CAVEAT),
    ("T19", T19, HOLDS),
    ("T19", {**T19, "self-attention (a list), numbers": flat(64, 5)}, FAILS),
    ("T19", {**T19, "self-attention (a list), most pairs": 0.9}, FAILS),
    ("T19", {**T19, "TTT-linear (weights), on average": 0.3}, FAILS),
    ("T25", T25, HOLDS),
    ("T25", {**T25, "kept, beyond": 0.5}, CAVEAT),
    ("T25", {**T25, "right, in training": 0.8}, FAILS),
    ("T25", {**T25, "steps": 3001.0}, UNDECIDED),
    ("A11", A11, HOLDS),
    ("A11", {**A11, "function after learning": 0.6}, CAVEAT),
    ("A11", {**A11, "translator, function": 0.5}, FAILS),
    ("A17", A17, HOLDS),
    ("A17", {**A17, "speakers, convolution": 0.95}, CAVEAT),
    ("A17", {**A17, "digits, linear": 0.9}, FAILS),
    ("T21", T21, HOLDS),
    ("T21", {**T21, "rank correlation": 0.3}, FAILS),
    ("T21", {**T21, "steps": flat(1001, 5), "rank correlation": 0.0}, UNDECIDED),
    ("A12", A12, HOLDS),
    ("A12", {**A12, "share of the largest effect": 0.4}, FAILS),
    ("A43", A12, HOLDS),
    ("A43", {**A12, "same word first": 0.8}, CAVEAT),
    ("A43", {**A12, "same word first": 0.4}, FAILS),
    ("T22", T22, CAVEAT),
    ("T22", {**T22, "with positions, spread": 1.1}, HOLDS),
    ("T22", {**T22, "without positions, spread": 1.5}, FAILS),
    ("T22", {**T22, "with positions, steps": 3001.0}, UNDECIDED),
    ("T22", {**T22, "without positions, spread": 1.5, "with positions, steps": 3001.0}, UNDECIDED),
    ("R12", R12, HOLDS),
    ("R12", {**R12, "attention, unseen": 0.12}, CAVEAT),
    ("R12", {**R12, "attention, steps": 3001.0}, UNDECIDED),
    ("R12", {**R12, "perceptron, unseen": 1.0}, FAILS),
    ("A16", A16, HOLDS),
    ("A16", {**A16, "learned positions, beyond": 0.2}, CAVEAT),
    ("A16", {**A16, **{f"{kind}, beyond": 0.2 for kind in A16_KINDS}}, FAILS),
    ("A16", {**A16, **{f"{kind}, steps": 3001.0 for kind in A16_KINDS}}, UNDECIDED),
    ("R2", R2, HOLDS),
    ("R2", {**R2, "LSTM, longest": 100.0}, CAVEAT),
    ("R2", {**R2, "tanh, longest": 70.0}, FAILS),
    ("R15", R15, HOLDS),
    ("R15", {**R15, "encoder-decoder": 0.9}, FAILS),
    ("R15", {**R15, "encoder-decoder": 0.9, "steps": 4001.0}, UNDECIDED),
    ("R15", {**R15, "tagger at best": 0.6}, FAILS),
    ("A4", A4, HOLDS),
    ("A4", {**A4, "search falls beyond": 0.1}, CAVEAT),
    ("A4", {**A4, "search falls": 0.38}, FAILS),
    ("A4", {**A4, "last falls": 0.04}, FAILS),
    ("A4", {**A4, "search steps": 4001.0}, UNDECIDED),
    ("A5", A5, HOLDS),
    ("A5", {**A5, f"{A5_CASES[0]}, links right": 0.5}, CAVEAT),
    ("A5", {**A5, **{f"{case}, links right": 0.5 for case in A5_CASES}}, FAILS),
    ("A5", {**A5, **{f"{case}, steps": 6001.0 for case in A5_CASES}}, UNDECIDED),
    ("A8", A8, HOLDS),
    ("A8", {**A8, "weight on the noun": 0.2}, FAILS),
    ("A8", {**A8, "right without the head": 0.95}, FAILS),
    ("A8", {**A8, "right": 0.9}, UNDECIDED),
    ("T4", T4, HOLDS),
    ("T4", {**T4, "both by name, 1 head, right": 1.0}, CAVEAT),
    ("T4", {**T4, **{f"{task}, 1 head, right": 1.0 for task in ("by place and by name", "both by name")}}, FAILS),
    ("T4", {**T4, "by place and by name, 2 heads, roles": 0.0}, UNDECIDED),
    ("T4", {**T4, "by place and by name, 4 heads, right": 0.5}, UNDECIDED),
    ("T6", T4, HOLDS),
    ("T6", {**T4, "by place and by name, 4 heads, keys": 1.6}, CAVEAT),
    ("T6", {**T4, "by place and by name, 2 heads, keys": 2.0}, FAILS),
    ("T12", T12, HOLDS),
    ("T12", {**T12, "with norms, without ReLU": 0.9}, CAVEAT),
    ("T12", {**T12, "without norms, without ReLU": 0.9}, FAILS),
    ("T12", {**T12, "without norms, whole": 0.9}, FAILS),
]


@pytest.mark.parametrize(("id_", "findings", "verdict"), CASES, ids=lambda case: case if isinstance(case, str) else "")
def test_the_rule_is_applied_to_the_figures(id_, findings, verdict):
    judgement = CLAIMS[id_].judge(Measured((0, 1), (findings, findings)))
    assert judgement.verdict == verdict
    assert judgement.because.endswith(".")


FAR_APART = [
    ("A34", {**A34, "in two steps, separately": 0.4}, {**A34, "in two steps, separately": 0.8}),
    ("A6", A6, {**A6, "search, words": 3.9}),
    ("A7", A7, {**A7, "form right, noun hidden": 0.65}),
    ("A7", A7, {**A7, "weight on the noun": 0.2}),
    ("A9", A9, {**A9, "probe at the top": 0.96}),
    ("A10", A10, {**A10, "follows the weather": 0.91}),
    ("A13", A13, {**A13, "near": flat(0.85, 6)}),
    ("A18", A18, {**A18, "in order, diagonal": 0.96}),
    ("A19", {"forwards": 0.7, "both ways": 0.9}, {"forwards": 0.7, "both ways": 0.81}),
    ("R3", R3, {**R3, "GRU, keep bias 5": [0.88**lag for lag in range(100)]}),
    ("R4", R4, {**R4, "GRU": [0.7, *flat(0.125, 23)]}),
    ("R5", R5, {**R5, "64, longest": 2.5}),
    ("R10", R10, {**R10, "free running": [0.01 * place for place in range(19)]}),
    ("R14", R14, {**R14, "reading its own outputs, steps": 120.0}),
    ("T1", T1, {**T1, "accuracy, none": 0.54}),
    ("T7", T7, {**T7, "nothing": [1.0, 1.0, 1.0, 1.0, 1e-10]}),
    ("T8", T8, {**T8, "ratio": [2.0, 0.98, 0.98, 0.98, 2.0]}),
]
"""Two seeds, each of which passes or is near it, whose difference is too large for a verdict."""


@pytest.mark.parametrize(("id_", "one", "other"), FAR_APART, ids=lambda case: case if isinstance(case, str) else "")
def test_seeds_that_lie_far_apart_leave_a_claim_undecided(id_, one, other):
    assert CLAIMS[id_].judge(Measured((0, 1), (one, other))).verdict == UNDECIDED


def test_a_kind_that_one_seed_alone_learned_leaves_a16_undecided_only_where_it_matters():
    lost = {**A16, **{f"{kind}, beyond": 0.2 for kind in A16_KINDS}}
    for findings, verdict in ((lost, FAILS), ({**A16, "learned positions, beyond": 0.2}, UNDECIDED)):
        other = {**findings, "learned positions, steps": 3001.0}
        assert CLAIMS["A16"].judge(Measured((0, 1), (findings, other))).verdict == verdict


LOST = {**A16, **{f"{kind}, beyond": 0.2 for kind in A16_KINDS}}


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        # Whether one kind loses anything is open, but another clearly does, and the first is of use.
        ({"sinusoidal positions, beyond": 0.95}, {"sinusoidal positions, beyond": 0.85}, CAVEAT),
        ({"sinusoidal positions, beyond": 0.35}, {"sinusoidal positions, beyond": 0.55}, UNDECIDED),
        ({"sinusoidal positions, beyond": 0.45}, {"sinusoidal positions, beyond": 0.46}, FAILS),
    ],
)
def test_a16_is_undecided_where_the_seeds_do_not_say_whether_half_are_right(one, other, verdict):
    assert CLAIMS["A16"].judge(Measured((0, 1), ({**LOST, **one}, {**LOST, **other}))).verdict == verdict


def test_where_the_article_was_not_learned_a7_does_not_ask_what_hiding_the_noun_costs():
    one, other = ({**A7, "form right, nothing hidden": right, "form right, noun hidden": 0.7} for right in (1.0, 0.9))
    assert CLAIMS["A7"].judge(Measured((0, 1), (one, other))).verdict == UNDECIDED


def test_a_number_of_heads_that_is_clearly_no_better_decides_t4_whatever_another_one_does():
    found = {**T4, "both by name, 2 heads, right": 0.9}
    one, other = ({**found, "both by name, 4 heads, right": right} for right in (0.9, 1.0))
    assert CLAIMS["T4"].judge(Measured((0, 1), (one, other))).verdict == CAVEAT


def test_a_step_that_the_seeds_leave_open_does_not_matter_where_others_are_made_and_not_made():
    one, other = ({**H8, "key-value": 30.0, "key-value-predict": value} for value in (29.0, 32.0))
    assert CLAIMS["H8"].judge(Measured((0, 1), (one, other))).verdict == CAVEAT


TRAINED = {
    name: module
    for name in (found.name for found in pkgutil.walk_packages(saccade.claims.__path__, "saccade.claims."))
    if hasattr(module := importlib.import_module(name), "STEPS") and hasattr(module, "CLAIM")
}


SMALL = {
    "R2": {"LAGS": (5, 10)},
    "T20": {"SENTENCES": (16, 64)},
    "A5": {"WORDS": (9,), "WIDTHS": (32,), "LENGTHS": (4,)},
    "T19": {"PAIRS": (2, 4), "RATES": (1e-3,)},
    "T22": {"SENTENCES": 300},
}
"""What is made smaller along with the steps."""

QUICK = {"R5", "T8"}
"""A recurrent one and a Transformer. The short trainings of the other claims are many, and each is of their kind."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (TRAINED[name].CLAIM.id not in QUICK)) for name in TRAINED],
)
def test_a_short_training_goes_all_the_way_to_a_plot(name, monkeypatch):
    monkeypatch.setattr(TRAINED[name], "STEPS", 2)
    if hasattr(TRAINED[name], "TEST"):
        monkeypatch.setattr(TRAINED[name], "TEST", 20)
    claim = TRAINED[name].CLAIM
    if (experiment := getattr(TRAINED[name], "EXPERIMENT", None)) is not None:  # it was made with the steps of its file
        claim = replace(claim, measure=replace(experiment, steps=2, test=20).measure)
    for setting, small in SMALL.get(claim.id, {}).items():
        monkeypatch.setattr(TRAINED[name], setting, small)
    try:
        result = measure(claim, datetime(2026, 11, 15), lambda _: None, seeds=1)
    except SourceError as missing:
        pytest.skip(f"a corpus is not here: {missing}")
    assert result.judgement.verdict in Verdict
    assert plot_svg(claim, result.measured).startswith("<svg ")
