# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Train your first model
#
# A small Transformer learns to write letters in reverse: `a b c` becomes `c b a`. The text is generated, so nothing is
# downloaded. It takes a few minutes on a laptop.

# %%
import saccade

run = saccade.train("tiny", out="runs/first", device="cpu")
print(run.summary)

# %% [markdown]
# Everything about the run is in one folder: the recipe it was made by, a journal with every loss, checkpoints, and the
# model. The same call again would find it finished.

# %%
from pathlib import Path

print(sorted(path.name for path in Path("runs/first").iterdir()))

# %% [markdown]
# The folder `model` is all that is needed to use it.

# %%
model = saccade.load(run.model, device="cpu")
for letters in ("a b c", "f a c e d", "j i h g"):
    print(letters, "->", model.translate(letters))

# %% [markdown]
# How sure was it? `score` gives the logarithm of the probability of any pair. The right answer and a wrong one:

# %%
right, wrong = model.score([("a b c", "c b a"), ("a b c", "a b c")])
print(f"right {right.log_probability:.3f}, wrong {wrong.log_probability:.3f}")

# %% [markdown]
# The journal is one JSON object per line. Here is how the loss fell:

# %%
import json

events = [json.loads(line) for line in Path("runs/first/journal.jsonl").read_text(encoding="utf-8").splitlines()]
losses = [(event["step"], event["loss"]) for event in events if event["event"] == "train"]
for step, loss in losses[:: max(1, len(losses) // 5)]:
    print(f"step {step:4d}  loss {loss:.3f}")

# %% [markdown]
# Next: change one thing and train again, for instance `overrides=["model.heads=1"]` and another `out`. What each part is
# for is in the course, [chapter 11](../course/11-the-transformer.md) and [chapter 12](../course/12-training.md).
