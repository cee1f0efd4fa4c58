SIZES = {"layers": 2, "width": 13, "embedding_width": 7, "initial_range": 0.3, "maximum_length": 41}

VARIANTS = {"one layer": {"layers": 1}, "two layers": {}, "skip connections": {"layers": 3, "skip_connections": True}}
