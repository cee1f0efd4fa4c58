"""The model card of an export: what the Hub reads at its head, how to run the model, then our own card."""

import re
from typing import Any

from saccade.decoding.beam import BeamConfig
from saccade.interop.huggingface_weights import has_their_positions
from saccade.interop.trained_model import TrainedModel

THEIR_EPSILON = 1e-5
_LICENCE = re.compile(r"^- licence: *(?P<licence>.+?) *$", re.MULTILINE)


def card_text(trained: TrainedModel, card: str) -> str:
    """README.md."""
    return f"---\n{_metadata(trained, card)}---\n\n{card.strip()}\n\n{_usage(trained)}"


def _metadata(trained: TrainedModel, card: str) -> str:
    """The YAML that the Hub sorts models by; a licence is named as our card names it."""
    lines = ["library_name: transformers", "pipeline_tag: translation"]
    languages = [language for language in (trained.source_language, trained.target_language) if language]
    if languages:
        lines.append("language:")
        lines += [f"- {_quoted(language)}" for language in dict.fromkeys(languages)]
    if found := _LICENCE.search(card):
        lines += ["license: other", f"license_name: {_quoted(found['licence'])}"]
    return "".join(f"{line}\n" for line in [*lines, "tags:", "- saccade", "- translation"])


def _quoted(text: str) -> str:
    """A YAML scalar: a code such as "no" must not become a truth value."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _usage(trained: TrainedModel) -> str:
    config = trained.model_config
    return f"""## With Hugging Face transformers

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("this folder")
model = AutoModelForSeq2SeqLM.from_pretrained("this folder")
batch = tokenizer(["A sentence to translate."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

Written by saccade. The pieces, their ids and the weights are those of the model described above.
{_differences(trained)}{_warnings(config)}"""


def _differences(trained: TrainedModel) -> str:
    """What this model has and Hugging Face's has not."""
    found = []
    if (epsilon := trained.model_config.norm_epsilon) != THEIR_EPSILON:
        found.append(
            f"- Its layer norms have an epsilon of {epsilon}, these have {THEIR_EPSILON}: the logits differ by a few "
            "parts in a million."
        )
    if BeamConfig(**trained.decoding).length_rule == "gnmt":
        found.append(
            "- Its beam search divides log P by ((5 + length) / 6)^alpha, `generate()` by length^`length_penalty`, "
            "which is set to grow alike for outputs of about ten pieces: now and then another output is the best."
        )
    return "".join(f"\n{line}" for line in ["Not quite the same:", "", *found]) + "\n" if found else ""


def _warnings(config: Any) -> str:
    """Under what it would not be this model any more."""
    found = []
    computed = all(has_their_positions(config, side) for side in ("encoder", "decoder"))
    if config.norm == "post" and not computed:
        found.append(
            "Its position table is in `model.safetensors`. `save_pretrained` leaves that of a Marian model out and "
            "computes another when it is loaded again: keep this file's."
        )
    if config.norm == "pre" and config.tie in ("none", "target"):
        found.append(
            "It needs transformers 5 or newer. In version 4 the encoder and the decoder of a Pegasus model read one "
            "embedding, and here they have two: it would load without an error and write something else."
        )
    return "".join(f"\n{line}\n" for line in found)
