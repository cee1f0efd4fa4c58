SIZES = {"width": 13, "memory_size": 7, "hops": 3, "initial_deviation": 0.3, "maximum_length": 41}

VARIANTS = {
    "layer-wise": {},
    "adjacent": {"tie": "adjacent"},
    "one hop": {"hops": 1, "memory_size": 29},
}
