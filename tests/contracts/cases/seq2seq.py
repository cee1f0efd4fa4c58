# At the paper's scale of 0.08 so narrow a network hardly hears its input: a test could not tell one from another.
SIZES = {"width": 11, "layers": 3, "initial_range": 0.5}

VARIANTS = {
    "paper": {},
    "source as it is": {"reverse_source": False},
    "one layer": {"layers": 1},
    "tied target": {"tie": "target"},
}
