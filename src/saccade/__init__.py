"""saccade: sequence transduction with attention, from two aligned text files to a model a person can trust.

    model = saccade.load("runs/x/model")
    model.translate("Two men are talking.")  # or a list; nbest=3, sampling=SamplingConfig(), ...
    model.translate_batch(["Two men are talking."], alignment=True)  # Translation objects
    model.score([("Two men are talking.", "Dos hombres hablan.")])
    saccade.explore("runs/x/model", sentence="Two men are talking.")  # a page, shown by a notebook
    saccade.train("tiny", out="runs/tiny")
    saccade.train(saccade.DataConfig(source="train.de", target="train.en"), out="runs/x")
    saccade.augment("runs/en-de", "mono.en", "back")  # also: distill, improve

Names are resolved when first used, so that importing saccade, or asking the command line for help, does not load torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saccade.data.config import DataConfig as DataConfig
    from saccade.decoding.beam import BeamConfig as BeamConfig
    from saccade.decoding.sampling import SamplingConfig as SamplingConfig
    from saccade.explorer.notebook import explore as explore
    from saccade.improving.back_translation import augment as augment
    from saccade.improving.distillation import distill as distill
    from saccade.improving.pipeline import Improvement as Improvement
    from saccade.improving.pipeline import improve as improve
    from saccade.runs.run import train as train
    from saccade.serving.loading import load as load
    from saccade.serving.reranking import Reranker as Reranker
    from saccade.serving.translation import Candidate as Candidate
    from saccade.serving.translation import Scored as Scored
    from saccade.serving.translation import Translation as Translation
    from saccade.serving.translation_options import TranslationOptions as TranslationOptions
    from saccade.serving.translator import Translator as Translator
    from saccade.serving.unknown_words import UnknownWords as UnknownWords

__version__ = "0.1.0"
__all__ = [
    "BeamConfig",
    "Candidate",
    "DataConfig",
    "Improvement",
    "Reranker",
    "SamplingConfig",
    "Scored",
    "Translation",
    "TranslationOptions",
    "Translator",
    "UnknownWords",
    "__version__",
    "augment",
    "distill",
    "explore",
    "improve",
    "load",
    "train",
]

_HOMES = {
    "BeamConfig": "saccade.decoding.beam",
    "Candidate": "saccade.serving.translation",
    "DataConfig": "saccade.data.config",
    "Improvement": "saccade.improving.pipeline",
    "Reranker": "saccade.serving.reranking",
    "SamplingConfig": "saccade.decoding.sampling",
    "Scored": "saccade.serving.translation",
    "Translation": "saccade.serving.translation",
    "TranslationOptions": "saccade.serving.translation_options",
    "Translator": "saccade.serving.translator",
    "UnknownWords": "saccade.serving.unknown_words",
    "augment": "saccade.improving.back_translation",
    "distill": "saccade.improving.distillation",
    "explore": "saccade.explorer.notebook",
    "improve": "saccade.improving.pipeline",
    "load": "saccade.serving.loading",
    "train": "saccade.runs.run",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'saccade' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
