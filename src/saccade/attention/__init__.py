"""The shared vocabulary of attention; it knows no model."""
