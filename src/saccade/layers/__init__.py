"""The parts below a model."""
