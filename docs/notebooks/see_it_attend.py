# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # See it attend
#
# A trained model, one sentence, and the weights with which it looked at each word. The model is the small
# English-Spanish one inside the package.

# %%
import saccade

model = saccade.load("en-es", device="cpu")
sentence = "Where is the train station?"
print(model.translate(sentence))

# %% [markdown]
# A trace is every number of that translation, as a dictionary: word pieces, attention weights of every layer and head,
# the search. Tensors are stored as text in base64.

# %%
import base64

import numpy as np

trace = model.trace(sentence)


def tensor(name):
    stored = trace["tensors"][name]
    return np.frombuffer(base64.b64decode(stored["data"]), dtype="<f4").reshape(stored["shape"])


def pieces(axis):
    return [token["text"].strip() or token["piece"] for token in trace["axes"][axis]["tokens"]]


print([block["id"] for block in trace["blocks"]])

# %% [markdown]
# Where did the decoder look while it wrote each word? Every row sums to one.

# %%
weights = tensor(trace["alignment"]["tensor"])
print(" " * 10 + "".join(f"{word:>9}" for word in pieces("source")))
for word, row in zip(pieces("target"), weights, strict=True):
    print(f"{word:>10}" + "".join(f"{weight:9.2f}" for weight in row))
print("rows sum to one:", bool(np.allclose(weights.sum(1), 1, atol=1e-4)))

# %% [markdown]
# The same as a page with every layer, head and step: a notebook shows it here, and `save` writes one file that any
# browser opens.

# %%
page = saccade.explore("en-es", sentence=sentence)
print(page.save("attends.html", overwrite=True).name)

# %% [markdown]
# How these weights come about is [chapter 6](../course/06-attention.md) and [chapter 9](../course/09-self-attention.md)
# of the course. What they do not say is in [misconceptions](../misconceptions.md).
