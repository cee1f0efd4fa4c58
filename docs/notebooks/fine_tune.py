# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Fine-tune
#
# A model that can do one thing learns another, faster than from nothing. The first task is to reverse letters, the second
# to copy them. (With real text: a translator of everyday sentences learns the words of your trade.)

# %%
import saccade

first = saccade.train("tiny", out="runs/first", device="cpu")
model = saccade.load(first.model, device="cpu")
print("before:", model.translate("a b c d"))

# %% [markdown]
# The new data: two files, line by line. The letters are those that the model knows; fine-tuning keeps the vocabulary.

# %%
import random
from pathlib import Path

generator = random.Random(1)
letters = "abcdefghij"
for name, count in (("train", 2000), ("valid", 50)):
    lines = [" ".join(generator.choices(letters, k=generator.randint(3, 8))) for _ in range(count)]
    text = "\n".join(lines) + "\n"
    Path(f"{name}.source").write_text(text, encoding="utf-8")
    Path(f"{name}.target").write_text(text, encoding="utf-8")

# %% [markdown]
# `fine_tuning.model` names the model to begin from; on the command line that is `--from`. Its shape and vocabulary stay.
# The learning rate would be chosen for text like the old; this task is another one, so it may be higher.

# %%
data = saccade.DataConfig(
    source="train.source", target="train.target", valid_source="valid.source", valid_target="valid.target"
)
overrides = [f"fine_tuning.model={first.model}", "training.steps=300", "training.learning_rate=0.001"]
second = saccade.train(data, out="runs/second", overrides=overrides, device="cpu")
print(second.summary)

# %%
tuned = saccade.load(second.model, device="cpu")
for text in ("a b c d", "j i h g f"):
    print(text, "->", tuned.translate(text))

# %% [markdown]
# The old task is gone: nothing reminded the model of it. `mix_source` and `mix_target` of the data add old pairs to the
# new ones, and [a model to a better one](../improving.md) says how to do it with real text.
