"""`saccade evaluate`: honest scores of a model, or of outputs that are there already."""

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.after_search import glossary, protected, reranker, unknown_words
from saccade.cli.lines import counting, refuse_input_as_output
from saccade.cli.options import (
    Alpha,
    BatchTokens,
    Beam,
    Corpus,
    Device,
    Ensemble,
    GlossaryFile,
    NoProtect,
    NoRepair,
    Overwrite,
    Protect,
    ReportAsJson,
    Rerank,
    RerankRightToLeft,
    RerankWeight,
    SourceLanguage,
    Split,
    Unconstrained,
    UnknownWords,
)
from saccade.errors import InputError
from saccade.output_files import OutputFile
from saccade.serving.problems import TRUNCATED, Problems

if TYPE_CHECKING:
    import saccade.data.parallel_text
    import saccade.data.tasks
    import saccade.evaluation.report
    import saccade.serving.evaluate


def evaluate(
    model: Annotated[str | None, typer.Argument(help="A model folder, a run folder, or a shipped model.")] = None,
    source: Annotated[
        Path | None, typer.Option(help="Sources, one on each line; or the text of a language model.")
    ] = None,
    reference: Annotated[Path | None, typer.Option(help="References, one on each line; of a parser, trees.")] = None,
    corpus: Corpus = None,
    split: Split = "test",
    hypothesis: Annotated[Path | None, typer.Option(help="Outputs to score instead of a model's.")] = None,
    task: Annotated[str, typer.Option(help="With --hypothesis: what the outputs are.")] = "translation",
    source_language: SourceLanguage = None,
    target_language: Annotated[
        str | None, typer.Option(help="The same for the outputs; with --hypothesis, the language they are in.")
    ] = None,
    beam: Beam = None,
    alpha: Alpha = None,
    rerank: Rerank = None,
    rerank_weight: RerankWeight = None,
    rerank_right_to_left: RerankRightToLeft = None,
    replace_unknown: UnknownWords = None,
    tune_rerank: Annotated[
        bool, typer.Option("--tune-rerank-weight", help="Print the score of every tenth weight, and the best.")
    ] = False,
    ensemble: Ensemble = None,
    output: Annotated[Path | None, typer.Option(help="Write the model's outputs here.")] = None,
    overwrite: Overwrite = False,
    as_json: ReportAsJson = False,
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Of what is too long for the model, use the beginning only.")
    ] = False,
    no_split: Annotated[bool, typer.Option("--no-split", help="Take every line as one sentence.")] = False,
    terms: GlossaryFile = None,
    protect: Protect = None,
    no_protect: NoProtect = False,
    no_repair: NoRepair = False,
    unconstrained: Unconstrained = False,
    batch_tokens: BatchTokens = None,
    device: Device = None,
) -> None:
    """Score a model on files or a corpus: scores with signatures, intervals, and a table by source length."""
    from saccade.data.parallel_text import every_pair
    from saccade.data.tasks import find_task
    from saccade.serving.evaluate import evaluate_model
    from saccade.serving.rerank_tuning import tune_weight

    if (model is None) == (hypothesis is None):
        raise InputError("what is evaluated must be a model or `--hypothesis`, and one of them. Give exactly one.")
    if hypothesis is not None:
        report = _of_outputs(hypothesis, source, reference, task, target_language)
        print(report.to_json() if as_json else report.to_text())
        return
    from saccade.serving.loading import load

    assert model is not None
    translator = load(
        model,
        *(ensemble or ()),
        device=device,
        engine="torch",  # the model in its own precision: the score is the same on a CPU and on a GPU
        source_language=source_language,
        target_language=target_language,
    )
    translator.check_languages()
    languages = translator.bundle.source_language, translator.bundle.target_language
    does = find_task(translator.task)
    files = _files(source, reference, corpus, split, languages, does)
    if output and not does.has_sources:
        raise InputError(f"`--output` must be left out for {does.name}: the text is scored, and nothing written.")
    refuse_input_as_output(output, *files.paths)
    written = OutputFile.of(output, overwrite=overwrite) if output else None
    options = translator.options(
        beam=beam,
        alpha=alpha,
        unknown_words=unknown_words(replace_unknown),
        rerank=reranker(rerank, rerank_right_to_left, rerank_weight, device),
        truncate=truncate,
        split_sentences=not no_split,
        constrained=not unconstrained,
        glossary=glossary(terms),
        protect=protected(protect, no_protect),
        repair=not no_repair,
        batch_tokens=batch_tokens,
    )
    if tune_rerank:
        if output:
            raise InputError("`--output` must not come with --tune-rerank-weight, which writes none. Leave it out.")
        print(tune_weight(translator, list(every_pair(files)), options).to_text())
        return
    with ExitStack() as stack:
        watch = partial(counting, what="lines", stack=stack, shown=True)
        evaluated = evaluate_model(translator, list(every_pair(files)), options, watch)
    _say_what_was_truncated(evaluated)
    if written:
        written.write("".join(f"{line}\n" for line in evaluated.outputs))
    print(evaluated.report.to_json() if as_json else evaluated.report.to_text())


def _of_outputs(
    hypothesis: Path, source: Path | None, reference: Path | None, task: str, language: str | None
) -> "saccade.evaluation.report.EvaluationReport":
    """The scores of outputs that somebody else's program may have written."""
    from saccade.data.tasks import find_task
    from saccade.data.text_lines import read_lines
    from saccade.serving.evaluate import evaluate_outputs

    if reference is None:
        raise InputError("`--reference` must be given with `--hypothesis`, but is missing.")
    sources = None if source is None else list(read_lines(source))
    return evaluate_outputs(
        find_task(task), sources, list(read_lines(hypothesis)), list(read_lines(reference)), language
    )


def _say_what_was_truncated(evaluated: "saccade.serving.evaluate.Evaluated") -> None:
    problems = Problems()
    for line in evaluated.truncated:
        problems.add(line, TRUNCATED)
    if summary := problems.summary(evaluated.report.lines, "evaluated"):
        print(summary, file=sys.stderr)


def _files(
    source: Path | None,
    reference: Path | None,
    corpus: str | None,
    split: str,
    languages: tuple[str | None, str | None],
    does: "saccade.data.tasks.Task",
) -> "saccade.data.parallel_text.PairFiles":
    if corpus is not None:
        if source or reference:
            raise InputError("the test set must be `--corpus` or files, but both are given. Leave one out.")
        from saccade.data.catalogue import find

        splits = find(corpus, *languages).splits
        if split not in splits:
            raise InputError(f"`--split` must be one of {', '.join(splits)} for {corpus}, but is {split!r}.")
        return does.part(splits[split])
    if source is None:
        files = "`--source` and `--reference`" if does.has_sources else "`--source`"
        raise InputError(f"{files}, or `--corpus`, must be given, but are missing.")
    return does.files(source, reference)
