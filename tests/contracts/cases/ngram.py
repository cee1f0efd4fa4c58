SIZES = {"order": 3}

VARIANTS = {"trigram": {}, "bigram": {"order": 2}, "5-gram": {"order": 5}}
