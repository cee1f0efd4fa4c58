"""A trained model in one folder, and what turns text into text with it."""
