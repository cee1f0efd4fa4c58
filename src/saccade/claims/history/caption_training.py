"""The training that all translators of captions share: what differs between two arms is then the model."""

from saccade.claims.measuring.trained_arms import Settings

TRAINING: Settings = {
    "steps": 2500,
    "batch_tokens": 4096,
    "learning_rate": 3e-3,
    "learning_rate_factor": None,
    "warmup": 250,
    "schedule": "linear",
    "clip": 5.0,
    "validate_every": 2500,
    "checkpoint_every": 2500,
    "keep_checkpoints": None,
    "average": 1,
}
"""Of the recipe `multi30k` the rest is kept: German to English, 8,000 pieces, smoothing, beam."""

WORDS: Settings = {"pieces": "word", "vocabulary": 3000}
"""The text of language models: whole words, as in their papers."""

DEVIATION = 0.1
"""Of the initial weights of gated units, here a few hundred wide; the 0.01 of their papers was made for 1,000."""
