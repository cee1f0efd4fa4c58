# The deviation of the papers is so small that at these sizes nothing would come through.
SIZES = {"width": 13, "embedding_width": 7, "maxout_width": 11, "attention_width": 17, "reach": 3, "deviation": 0.5}

VARIANTS = {
    "paper": {},
    "no attention": {"context": "last"},
    "no attention, previous state": {"context": "last", "output_state": "previous"},
    "previous state": {"output_state": "previous"},
    "concat": {"score": "concat"},
    "general": {"score": "general"},
    "biased-general": {"score": "biased-general"},
    "activated-general": {"score": "activated-general"},
    "location": {"score": "location"},
    "hard": {"alignment": "hard"},
    "local-m": {"alignment": "local-m"},
    "local-p": {"alignment": "local-p", "score": "general"},
    "diagonal": {"alignment": "diagonal"},
    "top-k": {"alignment": "top-k", "top_k": 2},
    "sparsemax": {"alignment": "sparsemax", "score": "general"},
    "sigmoid": {"alignment": "sigmoid"},
    "reinforced": {"alignment": "reinforced"},
    "reinforced subset": {"alignment": "reinforced-subset"},
    "plain tanh": {"cell": "tanh"},
    "Cho's unit": {"cell": "gru-cho"},
    "torch's unit": {"cell": "gru-torch"},
    "lstm": {"cell": "lstm"},
    "dropout": {"dropout": 0.3},
}
DAMPED = {"local-m", "local-p", "reinforced subset"}
UNNORMALISED = {"sigmoid"}
