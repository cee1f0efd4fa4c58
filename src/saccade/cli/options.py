"""Options that several verbs have, each with one name, one meaning and one text.

An option of a single verb stands with the verb.
"""

from pathlib import Path
from typing import Annotated

import typer

# Models and where they run.
Model = Annotated[str, typer.Argument(help="A model folder, a run folder, or the name of a shipped model.")]
Ensemble = Annotated[
    list[str] | None, typer.Option(metavar="MODEL", help="A further model to average with; repeatable.")
]
SourceLanguage = Annotated[
    str | None, typer.Option(help="The language of the sources, for a model of several. Default: the model's.")
]
TargetLanguage = Annotated[
    str | None, typer.Option(help="The language of the targets, for a model of several. Default: the model's.")
]
Device = Annotated[str | None, typer.Option(help="cpu or cuda. Default: a GPU if there is one.")]
Engine = Annotated[str, typer.Option(help="What searches: torch, ctranslate2, or auto, the fastest.")]
Precision = Annotated[
    str,
    typer.Option(
        help="Of our own search: float32, or what is faster: int8 on a CPU with instructions for it, or float16 or "
        "bfloat16 on a GPU, where a translation may then depend on the lines that are searched with it. auto is "
        "float32, but with the engine auto int8 for a model that is stored so."
    ),
]
Host = Annotated[str, typer.Option(help="Where to listen; others than this machine can then reach it.")]

# The search.
Beam = Annotated[int | None, typer.Option(help="Hypotheses kept alive. Default: the model's.")]
Alpha = Annotated[float | None, typer.Option(help="Exponent of the length penalty. Default: the model's.")]
Coverage = Annotated[float | None, typer.Option(help="Weight of the coverage penalty. Default: the model's.")]
Nbest = Annotated[
    int, typer.Option(help="Up to so many different texts for each line; output lines begin with its number.")
]
Prefix = Annotated[str, typer.Option(help="How every translation must begin.")]
BatchTokens = Annotated[int | None, typer.Option(help="Padded source tokens searched at once.")]
Unconstrained = Annotated[
    bool, typer.Option("--unconstrained", help="A parser may write what is no tree over the given words.")
]
Sample = Annotated[bool, typer.Option("--sample", help="Draw from the model instead of searching.")]
Temperature = Annotated[
    float | None, typer.Option(help="With --sample: below 1 keeps to probable tokens, above 1 strays from them.")
]
TopK = Annotated[int | None, typer.Option(help="With --sample: only the k most probable tokens.")]
TopP = Annotated[float | None, typer.Option(help="With --sample: only the most probable tokens up to this.")]
Seed = Annotated[int | None, typer.Option(help="With --sample: another seed, another draw.")]

# What becomes of the outputs of a search; `after_search.py` makes use of them.
Rerank = Annotated[
    str | None, typer.Option(metavar="MODEL[,MODEL...]", help="Rank all that the beam holds with these models too.")
]
RerankWeight = Annotated[float | None, typer.Option(help="Their weight, from 0 to 1. Default: 0.5, the even average.")]
RerankRightToLeft = Annotated[
    str | None,
    typer.Option(metavar="MODEL[,MODEL...]", help="The same with models trained on targets in reverse word order."),
]
UnknownWords = Annotated[
    str | None,
    typer.Option(
        "--unknown-words",
        metavar="copy|FILE.tsv",
        help="Write the source word most attended to, or its entry in a dictionary, for an unknown word.",
    ),
]
GlossaryFile = Annotated[
    Path | None,
    typer.Option("--glossary", metavar="FILE.tsv", help="Source, tab, target: how given words must be translated."),
]
Protect = Annotated[
    list[str] | None,
    typer.Option(metavar="REGEX", help="Copy what this matches exactly, beside addresses, numbers, placeholders."),
]
NoProtect = Annotated[
    bool, typer.Option("--no-protect", help="Leave addresses, numbers, placeholders and capitals to the model.")
]
NoRepair = Annotated[
    bool, typer.Option("--no-repair", help="Count faults such as loops and wrong numbers, but do not search again.")
]
RepairAll = Annotated[
    bool,
    typer.Option("--repair-all", help="Search again for faults of every kind, not only outputs that are too short."),
]

# Lines in, lines out.
OnError = Annotated[
    str | None,
    typer.Option(
        metavar="stop|skip|copy",
        help="What cannot be translated: stop, leave it out, or copy it. Default: stop; a sentence of many, copy.",
    ),
]
OnPairError = Annotated[str, typer.Option(help="A pair that is too long for the model: stop, or skip (an empty line).")]
Truncate = Annotated[
    bool, typer.Option("--truncate", help="Of what is too long for the model, translate the beginning only.")
]
TruncatePairs = Annotated[bool, typer.Option("--truncate", help="Cut lines that are too long for the model.")]
NoSplit = Annotated[
    bool, typer.Option("--no-split", help="Take every line as one sentence, and refuse what is too long.")
]
Window = Annotated[
    int | None,
    typer.Option(help="Lines read ahead; 1 answers each line before reading the next. Usually 1024, 16384 on a GPU."),
]
Scores = Annotated[
    bool, typer.Option("--scores", help="Add a column: the score, in digits that depend on the line alone.")
]
Alignment = Annotated[bool, typer.Option("--alignment", help="Add a column: word links, source-target.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]
ScoresAsJson = Annotated[bool, typer.Option("--json", help="JSON lines, with the log-probability of each token.")]
Report = Annotated[Path | None, typer.Option(help="List lines that were skipped, copied or cut here, as JSON lines.")]
Output = Annotated[Path | None, typer.Option(help="Write here instead of standard output.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file that --output names.")]
ReportAsJson = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]

# Text to learn from and to measure on.
Corpus = Annotated[str | None, typer.Option(help="A corpus of the catalogue instead of files.")]
Split = Annotated[str, typer.Option(help="Which part of the corpus.")]
TrainingTarget = Annotated[Path | None, typer.Option(help="Training targets: line n belongs to line n.")]
ValidSource = Annotated[Path | None, typer.Option(help="Validation sources. None: cut from training.")]
ValidTarget = Annotated[Path | None, typer.Option(help="Validation targets.")]
TestSource = Annotated[Path | None, typer.Option(help="Test sources, for the final score.")]
TestTarget = Annotated[Path | None, typer.Option(help="Test targets.")]
EncodingWorkers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Processes that read text. Default: by its size; the result is the same."),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe: training.steps=2000. Repeatable."),
]
