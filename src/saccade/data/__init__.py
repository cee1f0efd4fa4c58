"""From text to integers."""
