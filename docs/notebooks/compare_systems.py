# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Compare systems
#
# Is attention worth it? Train a model that squeezes a line into one vector, and a Transformer that looks at all of it, to
# write letters in reverse. `saccade compare` does what a fair comparison needs: it makes the systems equally large, gives
# them the same data, the same steps and the same search, and reports what came out with its spread.

# %%
import json
import subprocess
import sys
from pathlib import Path

command = "compare --recipe tiny --models rnn-encoder-decoder,transformer --parameters 60k --budget 40steps --seeds 1"
arguments = [*command.split(), "--out", "runs/compared", "--device", "cpu"]
subprocess.run([sys.executable, "-m", "saccade.cli.main", *arguments], check=True)

# %% [markdown]
# The folder has a page to read, `report.html`, and every number in it as JSON.

# %%
report = json.loads(Path("runs/compared/report.json").read_text(encoding="utf-8"))
for system in report["systems"]:
    print(f"{system['label']} ({system['year']}): {system['parameters']:,} weights")
    print(f"  perplexity {system['perplexity']['mean']:.2f}, BLEU {system['score']['mean']:.1f}")

# %% [markdown]
# A perplexity of 11 means: it is as unsure as if it had to choose among eleven. There are ten letters, so after 40 steps
# the model with one vector knows which letters there are, and little else. The Transformer has begun to look them up.

# %%
vector, transformer = (system["perplexity"]["mean"] for system in report["systems"])
print("the Transformer is less surprised:", transformer < vector)

# %% [markdown]
# How they differ by construction is counted, not timed: operations that must wait for each other, and how far a word of
# the source is from the output, where a line has n letters.

# %%
for system in report["systems"]:
    structure = system["structure"]
    print(system["label"])
    print("  steps in a row:", structure["sequential_steps"]["words"])
    print("  path from the source:", structure["source_path"]["words"])

# %% [markdown]
# One seed and 40 steps of a toy are a first look and no result; with one seed there is no spread to judge a difference by,
# and the page says so. Give it `--seeds 3` and more steps, or other systems: `saccade models` names them. The real
# comparison, eight systems with three seeds each, is in [the lineage](../lineage.md), and what it does and does not show
# is in [chapter 14](../course/14-what-each-idea-bought.md).
