"""Engines: what runs the beam search of a model, torch or CTranslate2, and which of them to use.

An engine says which searches it cannot do, and a translator asks the first of its engines that can. An engine gets all
inputs of a window at once, since each knows best how to batch them and how many cores to use.

On a CPU our own search comes first where the compiled library has the model: it is at least as fast as CTranslate2 on
x86 and on ARM (docs/benchmarks.md), needs no conversion, and no output depends on what is searched beside it. A model
whose weights are stored in int8 is then searched in int8, if the CPU multiplies bytes. Where the library was not built,
or cannot multiply them, CTranslate2 comes first: in int8 for such a model, in float32 for any other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol, runtime_checkable

import torch

from saccade.counted import counted
from saccade.decoding.beam import BeamConfig
from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.ngram_blocking import NgramBlocking
from saccade.decoding.sampling import SamplingConfig
from saccade.decoding.searcher import Searcher
from saccade.decoding.term_forms import TermForms
from saccade.decoding.terms import TermAutomaton
from saccade.decoding.tree_constraint_fast import TreeConstraint
from saccade.decoding.tree_outputs import TreeOutputs
from saccade.errors import ConfigError
from saccade.interop.ctranslate2 import Form, installed, obstacle
from saccade.models.capabilities import CompilesSearch
from saccade.models.contract import Transducer
from saccade.sequences import Sequences
from saccade.serving.batching import BatchedSearch, SearchInput
from saccade.serving.bundle import Bundle
from saccade.serving.ctranslate2_engine import Ctranslate2Engine

ENGINES = ("auto", "torch", "ctranslate2")


@runtime_checkable
class Engine(Protocol):
    """Something that runs the beam search of a model."""

    @property
    def description(self) -> str:
        """Its name and how it runs, in a few words."""
        ...

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:
        """Why it cannot do this search, as the text of an error that says what to do; None where it can."""
        ...

    def search(
        self, inputs: Sequence[SearchInput], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each input, best first, in the order of the inputs."""
        ...


@dataclass(frozen=True)
class TorchEngine:
    """Saccade's own search with torch: every search, on every device.

    The outputs of a parser are `trees`. Terms that an output must contain are written with `forms`. It searches with a
    copy of the weights in `precision`; None leaves them as they are.
    """

    model: Transducer[Any, Any]
    device: torch.device
    trees: TreeOutputs | None = None
    forms: TermForms | None = None
    precision: torch.dtype | None = None

    @cached_property
    def _searcher(self) -> Searcher:
        # Made when first used: it holds a copy of the weights, laid out for searching.
        return Searcher(self.model, self.precision)

    @cached_property
    def in_batches(self) -> BatchedSearch:
        """What divides inputs into batches, and remembers how large they may be."""
        return BatchedSearch(self.device)

    @property
    def description(self) -> str:
        """Its name and how it runs, in a few words."""
        count = torch.get_num_threads()
        threads = f", {counted(count, 'thread')}" if self.device.type == "cpu" else ""
        weights = next(self.model.parameters(), None)  # an n-gram model has none
        own = torch.float32 if weights is None else weights.dtype
        precision = str(self.precision or own).removeprefix("torch.")
        return f"torch {torch.__version__} on {self.device}, {precision}{threads}"

    def obstacle(self, config: BeamConfig, prefixed: bool) -> str | None:  # noqa: ARG002
        """None: it can do every search."""
        return None

    def search(
        self, inputs: Sequence[SearchInput], config: BeamConfig, batch_tokens: int | None = None
    ) -> list[list[Hypothesis]]:
        """The best outputs of each input, best first, in the order of the inputs."""

        def search(
            inputs: Sequence[SearchInput], batch: list[int], source: Sequences, prefix: Sequences | None
        ) -> list[list[Hypothesis]]:
            own = [inputs[index] for index in batch]
            if own[0].terms:
                assert self.forms is not None, "terms need a vocabulary"
                automata = [TermAutomaton.of(one.terms, self.forms.marks) for one in own]
                return self._searcher(source, config, prefix, automata=automata)
            if own[0].blocking:
                assert self.forms is not None, "to block words needs a vocabulary"
                letters = torch.tensor(self.forms.letters, device=self.device)
                return self._searcher(source, config, prefix, NgramBlocking.of([one.blocking for one in own], letters))
            return self._searcher(source, config, prefix, rules_for(own, self.trees))

        at_once = torch.get_num_threads() if self._searcher.side_by_side else 1
        # Inputs without terms are batched as if there were no others, and have the same outputs to the last bit.
        found: list[list[Hypothesis]] = [[] for _ in inputs]
        for kind in ((False, False), (True, False), (False, True)):
            places = [place for place, one in enumerate(inputs) if (bool(one.terms), bool(one.blocking)) == kind]
            some = [inputs[place] for place in places]
            results = self.in_batches(some, partial(search, some), batch_tokens, at_once)
            for place, hypotheses in zip(places, results, strict=True):
                found[place] = hypotheses
        return found

    def sample(
        self,
        inputs: Sequence[SearchInput],
        config: SamplingConfig,
        generator: Callable[[int], torch.Generator],
        batch_tokens: int | None = None,
    ) -> list[list[Hypothesis]]:
        """One output of each input, drawn with the generator of its place, a new one whenever it is asked for.

        A batch that does not fit into memory is drawn again, and must have the same numbers then.
        """

        def sample(batch: list[int], source: Sequences, prefix: Sequences | None) -> list[list[Hypothesis]]:
            own = [generator(index) for index in batch]
            rules = rules_for([inputs[index] for index in batch], self.trees)
            return self._searcher.sample(source, config, own, prefix, rules)

        return self.in_batches(inputs, sample, batch_tokens)


def rules_for(inputs: Sequence[SearchInput], trees: TreeOutputs | None) -> TreeConstraint | None:
    """What keeps the outputs of a batch to trees; None where they may be anything."""
    leaves = [one.leaves for one in inputs]
    return trees.rules(leaves) if trees is not None and all(leaves) else None


def choose_engines(name: str, bundles: Sequence[Bundle], own: TorchEngine, *, int8: bool) -> tuple[Engine, ...]:
    """The engines that `name` allows, the preferred one first; `own` is our search.

    With `int8`, "auto" is to search in int8.
    """
    if name not in ENGINES:
        raise ConfigError(f"`engine` must be one of {', '.join(ENGINES)}, but is {name!r}.")
    if name == "torch":
        return (own,)
    reason = _ctranslate2_obstacle(bundles, own.device)
    if name == "ctranslate2":
        if reason is not None:
            raise ConfigError(reason)
        return (Ctranslate2Engine.of(bundles[0]),)
    if reason is not None or not installed() or compiles(bundles, own.device, int8=int8):
        return (own,)
    # Without a shortlist, which would let a translation depend on the lines around it.
    form: Form = "int8" if int8 else "float32"
    return (Ctranslate2Engine.of(replace(bundles[0], shortlist=None), form=form), own)


def compiles(bundles: Sequence[Bundle], device: torch.device, *, int8: bool) -> bool:
    """Whether the compiled library can search with these models, and with `int8` by products of bytes."""
    models = [bundle.model for bundle in bundles]
    return device.type == "cpu" and all(
        isinstance(model, CompilesSearch) and model.can_compile_search(int8) for model in models
    )


def obstacle_of_ensemble(bundles: Sequence[Bundle], device: torch.device, int8: bool) -> str | None:
    """Why CTranslate2 cannot run several models, where it would be the engine of the first of them alone."""
    if compiles(bundles[:1], device, int8=int8):
        return None
    possible = installed() and _ctranslate2_obstacle(bundles[:1], device) is None
    return _ctranslate2_obstacle(bundles, device) if possible else None


def _ctranslate2_obstacle(bundles: Sequence[Bundle], device: torch.device) -> str | None:
    if len(bundles) > 1:
        return "`ensemble` must be left out with the engine ctranslate2, which runs one model. Use the engine torch."
    if bundles[0].leaves is not None:
        return "`engine` must be torch for a parser, whose search keeps to well-formed trees, but is ctranslate2."
    if device.type != "cpu":
        return f"`device` must be cpu with the engine ctranslate2, but is {device}. Use --device cpu, or torch."
    return obstacle(bundles[0].architecture, bundles[0].model_config)
