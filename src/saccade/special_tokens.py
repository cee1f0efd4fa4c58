"""The tokens that are no text, the same in every vocabulary; text alone needs them without torch."""

PAD, EOS, UNK, BOS = 0, 1, 2, 3
SPECIAL = 4
"""How many they are: text begins at this one."""
