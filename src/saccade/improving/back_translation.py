"""Back-translation: Sennrich et al. 2016, "Improving Neural Machine Translation Models with Monolingual Data".

A model of the other direction translates text of the target language. Each line is then the target of a pair whose
source is machine-made: the decoder learns from text that people wrote, and the encoder forgives the rest.

    source.txt    what the model wrote; sampled sources teach more than searched ones where there is much real text
                  (Edunov et al. 2018), and a tag tells them apart from real ones (Caswell et al. 2019)
    target.txt    the text as it was given, line by line
    made.json     how it was made
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.data.text_lines import lines_or_errors
from saccade.decoding.sampling import SamplingConfig
from saccade.errors import ConfigError
from saccade.improving.translated_text import TranslatedText, for_training, translate_text
from saccade.output_files import OutputFile
from saccade.serving.loading import load
from saccade.serving.translation import Watch

SOURCE, TARGET = "source.txt", "target.txt"


@dataclass(frozen=True)
class AugmentResult:
    """Two aligned files, how many lines they have, and for how many of them there is no source."""

    source: Path
    target: Path
    lines: int
    without_source: int


def augment(
    back: str | Path | Sequence[str | Path],
    text: str | Path,
    out: str | Path,
    *,
    sampling: SamplingConfig | None = None,
    beam: int | None = None,
    tag: str | None = None,
    seed: int = 1,
    device: str | None = None,
    engine: str = "torch",
    watch: Watch = iter,
) -> AugmentResult:
    """Makes sources for the lines of `text` with `back`, a model of the other direction or an ensemble of some.

    They are searched for with a beam, or drawn where `sampling` says so. The same call continues where an earlier one
    was stopped, and finds what is finished.
    """
    if tag is not None and len(tag.split()) != 1:
        raise ConfigError(f"`tag` must be one word, but is {tag!r}. Take one such as <BT>.")
    models = [back] if isinstance(back, str | Path) else list(back)
    translator = load(*models, device=device, engine=engine)
    options = for_training(translator.options(beam=beam, sampling=sampling, seed=seed))
    job = TranslatedText(translator, options, Path(text), Path(out), SOURCE, "back-translation", tag)
    record = translate_text(job, watch)
    target = Path(out) / TARGET
    if not target.is_file():
        with OutputFile.of(target).writing() as file:
            for line in lines_or_errors(Path(text)):
                file.write((line if isinstance(line, str) else "").encode("utf-8", "replace") + b"\n")
    return AugmentResult(job.output, target, record["lines"], record["empty"])
