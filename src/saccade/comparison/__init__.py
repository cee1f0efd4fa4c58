"""Systems side by side: the same data, parameters, budget and seeds, and one page that says what each idea bought."""
