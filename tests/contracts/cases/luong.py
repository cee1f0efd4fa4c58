SIZES = {"width": 11, "layers": 2, "location_length": 13}

VARIANTS = {
    "paper": {"reach": 3},
    "global": {"alignment": "soft", "score": "dot", "reverse_source": False},
    "local-m": {"alignment": "local-m", "reach": 3, "score": "location"},
    "no feeding": {"input_feeding": False, "alignment": "soft", "score": "concat", "layers": 3},
    "no feeding, local-p": {"input_feeding": False, "reach": 3},
    "hard": {"alignment": "hard", "tie": "target", "layers": 1},
    "diagonal": {"alignment": "diagonal"},
    "top-k": {"alignment": "top-k", "top_k": 3},
    "sparsemax": {"alignment": "sparsemax", "input_feeding": False},
    "sigmoid": {"alignment": "sigmoid", "score": "dot"},
    "reinforced": {"alignment": "reinforced"},
    "reinforced, no feeding": {"alignment": "reinforced", "input_feeding": False},
    "reinforced subset": {"alignment": "reinforced-subset", "score": "location"},
}

# A bell is not renormalised, and a window that has left the sentence holds nothing.
DAMPED = ("paper", "local-m", "no feeding, local-p", "reinforced subset")
UNNORMALISED = ("sigmoid",)
