SIZES = {"width": 11, "layers": 3}

VARIANTS = {
    "paper": {},
    "source as it is": {"reverse_source": False},
    "one layer": {"layers": 1},
    "tied target": {"tie": "target"},
}
