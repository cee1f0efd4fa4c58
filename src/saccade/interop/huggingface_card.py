"""The model card of an export: what the Hub reads at its head, how to run the model, then our own card."""

import re

from saccade.interop.trained_model import TrainedModel

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
    stored = config.norm == "post" and (config.positions != "sinusoidal" or config.target_space_rows)
    warning = (
        "\nIts position table is in `model.safetensors`. `save_pretrained` leaves that of a Marian model out and "
        "computes another when it is loaded again: keep this file's.\n"
        if stored
        else ""
    )
    return f"""## With Hugging Face transformers

```python
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("this folder")
model = AutoModelForSeq2SeqLM.from_pretrained("this folder")
batch = tokenizer(["A sentence to translate."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

Written by saccade. The pieces, their ids and the weights are those of the model described above. Two things of it have
no counterpart here: its layer norms have an epsilon of 1e-6 where these have 1e-5, which changes the logits by about
one part in a hundred thousand; and its beam search divides by ((5 + length) / 6)^alpha where `generate()` divides by
length^`length_penalty`, which is set to grow alike for sentences of about ten pieces.
{warning}"""
