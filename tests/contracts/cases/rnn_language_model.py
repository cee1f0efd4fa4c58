SIZES = {"width": 13}

VARIANTS = {
    "paper": {},
    "lstm": {"cell": "lstm", "layers": 3, "embedding_width": 7},
    "gru": {"cell": "gru", "layers": 2, "tie": "target"},
}
