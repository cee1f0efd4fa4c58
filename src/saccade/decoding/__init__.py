"""Search over any model."""
