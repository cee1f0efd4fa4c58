"""`saccade attention`: what the attention of a model is worth."""

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.options import Corpus, Device, Model, ReportAsJson, SourceLanguage, Split, TargetLanguage
from saccade.errors import InputError


def attention(
    model: Model,
    source: Annotated[Path | None, typer.Option(help="Sources, one on each line.")] = None,
    target: Annotated[Path | None, typer.Option(help="Their translations, one on each line.")] = None,
    links: Annotated[
        Path | None, typer.Option(help="Which words belong together, a line for each pair: 0-0 2-1 (source-target).")
    ] = None,
    corpus: Corpus = None,
    split: Split = "test",
    drop: Annotated[int, typer.Option(help="Source positions that each query loses.", min=1)] = 1,
    limit: Annotated[int | None, typer.Option(help="Only so many pairs, from the beginning.", min=1)] = None,
    as_json: ReportAsJson = False,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    device: Device = None,
) -> None:
    """Measure a model's attention: alignment error and weight on right words, by layer and head; and faithfulness.

    Right alignments come with the corpus, or from --links; without them only faithfulness is tested: how much outputs
    change without the source positions that are attended to most, without random ones, and with permuted weights.
    """
    from saccade.data.catalogue import find
    from saccade.data.parallel_text import every_pair
    from saccade.data.tasks import find_task
    from saccade.data.text_lines import read_lines
    from saccade.evaluation.alignment_error import read_links
    from saccade.serving.attention_report import measure_attention
    from saccade.serving.loading import load

    if (corpus is None) == (source is None or target is None):
        raise InputError("the pairs must be `--corpus`, or `--source` and `--target`. Give exactly one of both.")
    translator = load(model, device=device, source_language=source_language, target_language=target_language)
    translator.check_languages()
    does = find_task(translator.task)
    if corpus is not None:
        known = find(corpus, translator.bundle.source_language, translator.bundle.target_language)
        if split not in known.splits:
            raise InputError(f"`--split` must be one of {', '.join(known.splits)} for {corpus}, but is {split!r}.")
        files, links = does.part(known.splits[split]), links or known.links.get(split)
    else:
        assert source is not None
        files = does.files(source, target)
    pairs = list(every_pair(files))[:limit]
    gold = None if links is None else [read_links(line) for line in read_lines(links)][:limit]
    report = measure_attention(translator, pairs, gold, drop)
    print(report.to_json() if as_json else report.to_text())
