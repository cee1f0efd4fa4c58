SIZES = {"layers": 2, "width": 13, "embedding_width": 7, "initial_range": 0.3, "maximum_length": 41}

VARIANTS = {
    "deep fusion": {},
    "shallow fusion": {"fusion": "shallow"},
    "one layer": {"layers": 1, "embedding_width": None},
    "shallow fusion, local": {"fusion": "shallow", "score": "general", "alignment": "local-p", "reach": 3},
    "shallow fusion, reinforced": {"fusion": "shallow", "alignment": "reinforced"},
    "shallow fusion, top-k": {"fusion": "shallow", "alignment": "top-k", "top_k": 2},
    "shallow fusion, diagonal": {"fusion": "shallow", "score": "dot", "alignment": "diagonal"},
}

DAMPED = {"shallow fusion, local"}
