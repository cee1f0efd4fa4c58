"""Citations and published numbers as frozen data: the one home of a paper's values.

Recipes take their sizes from here, reports print "ours / paper" from here, and prose never repeats a number that stands
here. A mapping called `model` holds fields of the model's configuration, one called `training` fields of the training
configuration; both are plain data, so that this file knows no model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Settings = Mapping[str, Any]


def _frozen(**settings: Any) -> Settings:
    return MappingProxyType(settings)


@dataclass(frozen=True)
class Citation:
    """Where an idea or a number comes from."""

    authors: str
    year: int
    title: str
    venue: str
    url: str

    def __str__(self) -> str:
        return f"{self.authors} ({self.year}). {self.title}. {self.venue}. {self.url}"

    @property
    def names(self) -> str:
        """Its authors as people speak of them: one or two by name, more as the first and others."""
        names = self.authors.removesuffix(" and others").split(", ")
        few = len(names) <= 2 and names == self.authors.split(", ")
        return " and ".join(names) if few else f"{names[0]} and others"


PAPERS: Mapping[str, Citation] = MappingProxyType(
    {
        "bengio2003": Citation(
            "Bengio, Ducharme, Vincent, Jauvin",
            2003,
            "A Neural Probabilistic Language Model",
            "Journal of Machine Learning Research 3",
            "https://www.jmlr.org/papers/v3/bengio03a.html",
        ),
        "chen1999": Citation(
            "Chen, Goodman",
            1999,
            "An Empirical Study of Smoothing Techniques for Language Modeling",
            "Computer Speech and Language 13",
            "https://doi.org/10.1006/csla.1999.0128",
        ),
        "mikolov2010": Citation(
            "Mikolov, Karafiat, Burget, Cernocky, Khudanpur",
            2010,
            "Recurrent Neural Network Based Language Model",
            "Interspeech 2010",
            "https://www.isca-archive.org/interspeech_2010/mikolov10_interspeech.html",
        ),
        "kalchbrenner2013": Citation(
            "Kalchbrenner, Blunsom",
            2013,
            "Recurrent Continuous Translation Models",
            "EMNLP 2013",
            "https://aclanthology.org/D13-1176",
        ),
        "cho2014": Citation(
            "Cho, van Merrienboer, Gulcehre, Bahdanau, Bougares, Schwenk, Bengio",
            2014,
            "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation",
            "EMNLP 2014",
            "https://arxiv.org/abs/1406.1078",
        ),
        "sutskever2014": Citation(
            "Sutskever, Vinyals, Le",
            2014,
            "Sequence to Sequence Learning with Neural Networks",
            "NIPS 2014",
            "https://arxiv.org/abs/1409.3215",
        ),
        "bahdanau2015": Citation(
            "Bahdanau, Cho, Bengio",
            2015,
            "Neural Machine Translation by Jointly Learning to Align and Translate",
            "ICLR 2015",
            "https://arxiv.org/abs/1409.0473",
        ),
        "sukhbaatar2015": Citation(
            "Sukhbaatar, Szlam, Weston, Fergus",
            2015,
            "End-To-End Memory Networks",
            "NIPS 2015",
            "https://arxiv.org/abs/1503.08895",
        ),
        "luong2015": Citation(
            "Luong, Pham, Manning",
            2015,
            "Effective Approaches to Attention-based Neural Machine Translation",
            "EMNLP 2015",
            "https://arxiv.org/abs/1508.04025",
        ),
        "he2015": Citation(
            "He, Zhang, Ren, Sun",
            2015,
            "Deep Residual Learning for Image Recognition",
            "CVPR 2016",
            "https://arxiv.org/abs/1512.03385",
        ),
        "cheng2016": Citation(
            "Cheng, Dong, Lapata",
            2016,
            "Long Short-Term Memory-Networks for Machine Reading",
            "EMNLP 2016",
            "https://arxiv.org/abs/1601.06733",
        ),
        "daniluk2017": Citation(
            "Daniluk, Rocktaschel, Welbl, Riedel",
            2017,
            "Frustratingly Short Attention Spans in Neural Language Modeling",
            "ICLR 2017",
            "https://arxiv.org/abs/1702.04521",
        ),
        "lin2017": Citation(
            "Lin, Feng, dos Santos, Yu, Xiang, Zhou, Bengio",
            2017,
            "A Structured Self-attentive Sentence Embedding",
            "ICLR 2017",
            "https://arxiv.org/abs/1703.03130",
        ),
        "gehring2017": Citation(
            "Gehring, Auli, Grangier, Yarats, Dauphin",
            2017,
            "Convolutional Sequence to Sequence Learning",
            "ICML 2017",
            "https://arxiv.org/abs/1705.03122",
        ),
        "brauwers2023": Citation(
            "Brauwers, Frasincar",
            2023,
            "A General CorpusScan on Attention Mechanisms in Deep Learning",
            "IEEE Transactions on Knowledge and Data Engineering 35(4)",
            "https://arxiv.org/abs/2203.14263",
        ),
        "sun2024": Citation(
            "Sun, Li, Dalal, Xu, Vikram and others",
            2024,
            "Learning to (Learn at Test Time): RNNs with Expressive Hidden States",
            "arXiv",
            "https://arxiv.org/abs/2407.04620",
        ),
        "vaswani2017": Citation(
            "Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin",
            2017,
            "Attention Is All You Need",
            "NIPS 2017",
            "https://arxiv.org/abs/1706.03762",
        ),
        "liu2018": Citation(
            "Liu, Saleh, Pot, Goodrich, Sepassi, Kaiser, Shazeer",
            2018,
            "Generating Wikipedia by Summarizing Long Sequences",
            "ICLR 2018",
            "https://arxiv.org/abs/1801.10198",
        ),
        "wu2016": Citation(
            "Wu, Schuster, Chen, Le, Norouzi and others",
            2016,
            "Google's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation",
            "arXiv",
            "https://arxiv.org/abs/1609.08144",
        ),
        "sennrich2016": Citation(
            "Sennrich, Haddow, Birch",
            2016,
            "Neural Machine Translation of Rare Words with Subword Units",
            "ACL 2016",
            "https://arxiv.org/abs/1508.07909",
        ),
        "kudo2018": Citation(
            "Kudo",
            2018,
            "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
            "ACL 2018",
            "https://arxiv.org/abs/1804.10959",
        ),
        "provilkov2020": Citation(
            "Provilkov, Emelianenko, Voita",
            2020,
            "BPE-Dropout: Simple and Effective Subword Regularization",
            "ACL 2020",
            "https://arxiv.org/abs/1910.13267",
        ),
        "sennrich2016monolingual": Citation(
            "Sennrich, Haddow, Birch",
            2016,
            "Improving Neural Machine Translation Models with Monolingual Data",
            "ACL 2016",
            "https://arxiv.org/abs/1511.06709",
        ),
        "kim2016": Citation(
            "Kim, Rush",
            2016,
            "Sequence-Level Knowledge Distillation",
            "EMNLP 2016",
            "https://arxiv.org/abs/1606.07947",
        ),
        "edunov2018": Citation(
            "Edunov, Ott, Auli, Grangier",
            2018,
            "Understanding Back-Translation at Scale",
            "EMNLP 2018",
            "https://arxiv.org/abs/1808.09381",
        ),
        "hoang2018": Citation(
            "Hoang, Koehn, Haffari, Cohn",
            2018,
            "Iterative Back-Translation for Neural Machine Translation",
            "WNMT 2018",
            "https://aclanthology.org/W18-2703",
        ),
        "caswell2019": Citation(
            "Caswell, Chelba, Grangier",
            2019,
            "Tagged Back-Translation",
            "WMT 2019",
            "https://arxiv.org/abs/1906.06442",
        ),
        "hu2021": Citation(
            "Hu, Shen, Wallis, Allen-Zhu, Li, Wang, Wang, Chen",
            2021,
            "LoRA: Low-Rank Adaptation of Large Language Models",
            "ICLR 2022",
            "https://arxiv.org/abs/2106.09685",
        ),
        "kasai2021": Citation(
            "Kasai, Pappas, Peng, Cross, Smith",
            2021,
            "Deep Encoder, Shallow Decoder: Reevaluating Non-autoregressive Machine Translation",
            "ICLR 2021",
            "https://arxiv.org/abs/2006.10369",
        ),
        "post2018": Citation(
            "Post", 2018, "A Call for Clarity in Reporting BLEU Scores", "WMT 2018", "https://arxiv.org/abs/1804.08771"
        ),
        "papineni2002": Citation(
            "Papineni, Roukos, Ward, Zhu",
            2002,
            "BLEU: a Method for Automatic Evaluation of Machine Translation",
            "ACL 2002",
            "https://aclanthology.org/P02-1040",
        ),
        "popovic2015": Citation(
            "Popović",
            2015,
            "chrF: character n-gram F-score for automatic MT evaluation",
            "WMT 2015",
            "https://aclanthology.org/W15-3049",
        ),
        "koehn2004": Citation(
            "Koehn",
            2004,
            "Statistical Significance Tests for Machine Translation Evaluation",
            "EMNLP 2004",
            "https://aclanthology.org/W04-3250",
        ),
        "elliott2016": Citation(
            "Elliott, Frank, Sima'an, Specia",
            2016,
            "Multi30K: Multilingual English-German Image Descriptions",
            "Workshop on Vision and Language 2016",
            "https://arxiv.org/abs/1605.00459",
        ),
    }
)


@dataclass(frozen=True)
class Regime:
    """Sizes and training of one published model: section 5 and the first and last rows of Table 3."""

    model: Settings
    training: Settings
    hours: float
    seconds_per_step: float


@dataclass(frozen=True)
class Row:
    """One row of Table 3: what it changes with respect to base, and what came out on newstest2013."""

    name: str
    letter: str
    model: Settings
    training: Settings
    perplexity: float
    bleu: float
    parameters_millions: int | None

    @property
    def slug(self) -> str:
        """The name of its recipe."""
        parts = ["vaswani2017-table3", *([self.letter.lower()] if len(self.letter) == 1 else []), self.name]
        return "-".join(parts)


@dataclass(frozen=True)
class LayerCost:
    """One row of Table 1, in n (length), d (width), k (kernel) and r (neighbourhood)."""

    layer: str
    complexity: str
    sequential_operations: str
    longest_path: str


@dataclass(frozen=True)
class TestResult:
    """One row of Table 2, on newstest2014: BLEU and the floating point operations of training."""

    __test__ = False  # a name that begins with Test is no test

    model: str
    bleu_en_de: float | None = None
    bleu_en_fr: float | None = None
    operations_en_de: float | None = None
    operations_en_fr: float | None = None


@dataclass(frozen=True)
class ParsingResult:
    """One row of Table 4: F1 on section 23 of the Wall Street Journal."""

    parser: str
    training: str
    f1: float


@dataclass(frozen=True)
class Search:
    """How outputs were searched for: beam, the exponent of the length penalty, and tokens beyond the input's length."""

    beam: int
    alpha: float
    extra_length: int


@dataclass(frozen=True)
class Vaswani2017:
    """Everything "Attention Is All You Need" states as a number."""

    citation: Citation
    base: Regime
    big_en_de: Regime
    big_en_fr: Regime
    translation: Search
    parsing: Search
    parsing_model: Settings
    vocabulary_en_de: int
    vocabulary_en_fr: int
    vocabulary_parsing: int
    vocabulary_parsing_semi_supervised: int
    sentence_pairs_en_de: int
    sentence_pairs_en_fr: int
    table1: tuple[LayerCost, ...]
    table2: tuple[TestResult, ...]
    table3: tuple[Row, ...]
    table4: tuple[ParsingResult, ...]

    def row(self, slug: str) -> Row:
        """The row of Table 3 whose recipe has this name."""
        return next(row for row in self.table3 if row.slug == slug)


# Footnote 5: sustained single-precision rates, in units of 1e12 operations a second.
SUSTAINED_TERAFLOPS: Mapping[str, float] = MappingProxyType({"K80": 2.8, "K40": 3.7, "M40": 6.0, "P100": 9.5})
# Section 5.2: one machine.
HARDWARE = "P100"
HARDWARE_GPUS = 8

_BASE_MODEL = _frozen(
    encoder_layers=6, decoder_layers=6, width=512, inner_width=2048, heads=8, key_width=64, value_width=64, dropout=0.1
)
# Sections 5.1, 5.3, 5.4 and 6.1; `average` is the number of last checkpoints, ten minutes apart, that were averaged.
_BASE_TRAINING = _frozen(
    steps=100_000,
    batch_tokens=25_000,
    warmup=4_000,
    learning_rate_factor=1.0,
    beta1=0.9,
    beta2=0.98,
    epsilon=1e-9,
    label_smoothing=0.1,
    average=5,
)
_BIG_MODEL = _frozen(**{**_BASE_MODEL, "width": 1024, "inner_width": 4096, "heads": 16, "dropout": 0.3})
_BIG_TRAINING = _frozen(**{**_BASE_TRAINING, "steps": 300_000, "average": 20})

_TABLE1 = (
    LayerCost("self-attention", "n^2 d", "1", "1"),
    LayerCost("recurrent", "n d^2", "n", "n"),
    LayerCost("convolutional", "k n d^2", "1", "log_k n"),
    LayerCost("restricted self-attention", "r n d", "1", "n / r"),
)

_TABLE2 = (
    TestResult("ByteNet", bleu_en_de=23.75),
    TestResult("Deep-Att + PosUnk", bleu_en_fr=39.2, operations_en_fr=1.0e20),
    TestResult("GNMT + RL", 24.6, 39.92, 2.3e19, 1.4e20),
    TestResult("ConvS2S", 25.16, 40.46, 9.6e18, 1.5e20),
    TestResult("MoE", 26.03, 40.56, 2.0e19, 1.2e20),
    TestResult("Deep-Att + PosUnk ensemble", bleu_en_fr=40.4, operations_en_fr=8.0e20),
    TestResult("GNMT + RL ensemble", 26.30, 41.16, 1.8e20, 1.1e21),
    TestResult("ConvS2S ensemble", 26.36, 41.29, 7.7e19, 1.2e21),
    TestResult("Transformer (base)", 27.3, 38.1, operations_en_de=3.3e18),
    # Section 6.1 of the last version says 41.0 for English to French; the abstract and the table say 41.8.
    TestResult("Transformer (big)", 28.4, 41.8, operations_en_de=2.3e19),
)


_UNCHANGED = _frozen()


def _row(
    letter: str,
    name: str,
    perplexity: float,
    bleu: float,
    millions: int | None = None,
    training: Settings = _UNCHANGED,
    **model: Any,
) -> Row:
    # The caption: beam search as for Table 2, but no checkpoint averaging.
    return Row(name, letter, _frozen(**model), _frozen(**{"average": 1, **training}), perplexity, bleu, millions)


# Where a row leaves key and value width unsaid they follow from width / heads, and stand here so that they are not
# left at base's; rows B change the key alone.
_TABLE3 = (
    _row("base", "base", 4.92, 25.8, 65),
    _row("A", "heads-1", 5.29, 24.9, heads=1, key_width=512, value_width=512),
    _row("A", "heads-4", 5.00, 25.5, heads=4, key_width=128, value_width=128),
    _row("A", "heads-16", 4.91, 25.8, heads=16, key_width=32, value_width=32),
    _row("A", "heads-32", 5.01, 25.4, heads=32, key_width=16, value_width=16),
    _row("B", "key-16", 5.16, 25.1, 58, key_width=16, value_width=64),
    _row("B", "key-32", 5.01, 25.4, 60, key_width=32, value_width=64),
    _row("C", "layers-2", 6.11, 23.7, 36, encoder_layers=2, decoder_layers=2),
    _row("C", "layers-4", 5.19, 25.3, 50, encoder_layers=4, decoder_layers=4),
    _row("C", "layers-8", 4.88, 25.5, 80, encoder_layers=8, decoder_layers=8),
    _row("C", "width-256", 5.75, 24.5, 28, width=256, key_width=32, value_width=32),
    _row("C", "width-1024", 4.66, 26.0, 168, width=1024, key_width=128, value_width=128),
    _row("C", "inner-1024", 5.12, 25.4, 53, inner_width=1024),
    _row("C", "inner-4096", 4.75, 26.2, 90, inner_width=4096),
    _row("D", "dropout-0.0", 5.77, 24.6, dropout=0.0),
    _row("D", "dropout-0.2", 4.95, 25.5, dropout=0.2),
    _row("D", "smoothing-0.0", 4.67, 25.3, training=_frozen(label_smoothing=0.0)),
    _row("D", "smoothing-0.2", 5.47, 25.7, training=_frozen(label_smoothing=0.2)),
    _row("E", "positions-learned", 4.92, 25.7, positions="learned"),
    _row(
        "big",
        "big",
        4.33,
        26.4,
        213,
        training=_frozen(steps=300_000),
        width=1024,
        inner_width=4096,
        heads=16,
        key_width=64,
        value_width=64,
        dropout=0.3,
    ),
)

_TABLE4 = (
    ParsingResult("Vinyals & Kaiser et al. (2014)", "WSJ only, discriminative", 88.3),
    ParsingResult("Petrov et al. (2006)", "WSJ only, discriminative", 90.4),
    ParsingResult("Zhu et al. (2013)", "WSJ only, discriminative", 90.4),
    ParsingResult("Dyer et al. (2016)", "WSJ only, discriminative", 91.7),
    ParsingResult("Transformer (4 layers)", "WSJ only, discriminative", 91.3),
    ParsingResult("Zhu et al. (2013)", "semi-supervised", 91.3),
    ParsingResult("Huang & Harper (2009)", "semi-supervised", 91.3),
    ParsingResult("McClosky et al. (2006)", "semi-supervised", 92.1),
    ParsingResult("Vinyals & Kaiser et al. (2014)", "semi-supervised", 92.1),
    ParsingResult("Transformer (4 layers)", "semi-supervised", 92.7),
    ParsingResult("Luong et al. (2015)", "multi-task", 93.0),
    ParsingResult("Dyer et al. (2016)", "generative", 93.3),
)

VASWANI2017 = Vaswani2017(
    citation=PAPERS["vaswani2017"],
    base=Regime(_BASE_MODEL, _BASE_TRAINING, hours=12.0, seconds_per_step=0.4),
    big_en_de=Regime(_BIG_MODEL, _BIG_TRAINING, hours=84.0, seconds_per_step=1.0),
    big_en_fr=Regime(_frozen(**{**_BIG_MODEL, "dropout": 0.1}), _BIG_TRAINING, hours=84.0, seconds_per_step=1.0),
    translation=Search(beam=4, alpha=0.6, extra_length=50),
    parsing=Search(beam=21, alpha=0.3, extra_length=300),
    parsing_model=_frozen(encoder_layers=4, decoder_layers=4, width=1024),
    vocabulary_en_de=37_000,
    vocabulary_en_fr=32_000,
    vocabulary_parsing=16_000,
    vocabulary_parsing_semi_supervised=32_000,
    sentence_pairs_en_de=4_500_000,
    sentence_pairs_en_fr=36_000_000,
    table1=_TABLE1,
    table2=_TABLE2,
    table3=_TABLE3,
    table4=_TABLE4,
)


@dataclass(frozen=True)
class Published:
    """A number somebody else reported on a corpus this package knows, with how it was measured.

    `paper` is the paper the system comes from, where it is one of the lineage.
    """

    corpus: str
    languages: str | None
    split: str
    system: str
    metric: str
    value: float
    measured: str
    source: str
    paper: str | None = None


_TUTORIAL = ("BLEU of tokenised text: not comparable with sacreBLEU", "tutorial notebooks of the field")
_TINY = ("BLEU of lowercased, tokenised text: not comparable with sacreBLEU", "runs with fairseq's transformer_tiny")
_G2P = "share of words that match no reference"
# The figures of the table in that file differ between its versions (2x256: 20.2 in the last).
_G2P_README = "CMUSphinx g2p-seq2seq, README, column PRONALSYL 2007"

PUBLISHED = (
    Published(
        "multi30k", "de-en", "test_2016_flickr", "sequence to sequence", "bleu", 13.8, *_TUTORIAL, "sutskever2014"
    ),
    Published("multi30k", "de-en", "test_2016_flickr", "RNN encoder-decoder", "bleu", 20.6, *_TUTORIAL, "cho2014"),
    Published("multi30k", "de-en", "test_2016_flickr", "RNNsearch", "bleu", 28.3, *_TUTORIAL, "bahdanau2015"),
    Published("multi30k", "de-en", "test_2016_flickr", "ConvS2S", "bleu", 34.1, *_TUTORIAL, "gehring2017"),
    Published("multi30k", "de-en", "test_2016_flickr", "Transformer", "bleu", 36.5, *_TUTORIAL, "vaswani2017"),
    Published("multi30k", "en-de", "test_2016_flickr", "RNN with attention", "bleu", 39.0, *_TINY),
    Published("multi30k", "en-de", "test_2016_flickr", "transformer_tiny", "bleu", 41.0, *_TINY),
    Published("cmudict-g014b2b", None, "test", "Phonetisaurus", "word_error_rate", 24.4, _G2P, _G2P_README),
    Published("cmudict-g014b2b", None, "test", "Transformer 3x256", "word_error_rate", 20.6, _G2P, _G2P_README),
    Published(
        "cmudict-g014b2b",
        None,
        "test",
        "DBLSTM-CTC with n-gram",
        "word_error_rate",
        21.3,
        _G2P,
        "Rao, Peng, Sak, Beaufays (2015). Grapheme-to-phoneme conversion using LSTM recurrent neural networks. ICASSP",
    ),
)


def published(corpus: str, languages: str | None = None) -> tuple[Published, ...]:
    """What others reported on this corpus; `measured` says whether a figure can be compared at all."""
    return tuple(one for one in PUBLISHED if one.corpus == corpus and languages in (None, one.languages))


@dataclass(frozen=True)
class Reported:
    """A figure by which a paper of the lineage introduced its own system."""

    system: str
    corpus: str
    metric: str
    value: float
    note: str = ""


_EN_FR, _EN_DE = "WMT14 English to French", "WMT14 English to German"

LINEAGE: Mapping[str, tuple[Reported, ...]] = MappingProxyType(
    {
        "kalchbrenner2013": (
            Reported(
                "RCTM II",
                "news, English to French",
                "% less perplexity",
                43.0,
                "more than this, than alignment-based models; scored by perplexity and by rescoring",
            ),
        ),
        "cho2014": (
            Reported("phrase-based system with the RNN as a feature", _EN_FR, "BLEU", 33.87, "33.30 without it"),
            Reported("the same with CSLM", _EN_FR, "BLEU", 34.64),
        ),
        "sutskever2014": (
            Reported("one reversed LSTM, beam 12", _EN_FR, "BLEU", 30.59, "26.17 without reversing"),
            Reported("five reversed LSTMs, beam 12", _EN_FR, "BLEU", 34.81),
        ),
        "bahdanau2015": (
            Reported("RNNsearch-50", _EN_FR, "BLEU", 26.75, "17.82 without attention"),
            Reported("RNNsearch-50, trained longer", _EN_FR, "BLEU", 28.45),
        ),
        "luong2015": (
            Reported("local-p, general, input feeding", _EN_DE, "BLEU", 19.0, "14.0 without attention"),
            Reported("the same, unknown words replaced", _EN_DE, "BLEU", 20.9),
            Reported("eight of them", _EN_DE, "BLEU", 23.0),
        ),
        "cheng2016": (Reported("LSTMN, three layers", "Penn Treebank", "perplexity", 102.0, "115 for the LSTM"),),
        "gehring2017": (
            Reported("ConvS2S", _EN_DE, "BLEU", 25.16),
            Reported("ConvS2S", _EN_FR, "BLEU", 40.51, "40.46 in the version of May 2017"),
        ),
        "vaswani2017": (
            Reported("Transformer (base)", _EN_DE, "BLEU", 27.3),
            Reported("Transformer (big)", _EN_DE, "BLEU", 28.4),
            Reported("Transformer (big)", _EN_FR, "BLEU", 41.8),
        ),
    }
)
"""What each paper reported, the figure of a single plain model first."""
