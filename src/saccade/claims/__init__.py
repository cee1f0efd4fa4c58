"""Claims about attention and its ancestors, each with the experiment that shows whether it is so.

In reading order:

    claim.py            what a claim is: a sentence, an experiment, a rule and a verdict
    catalogue.py        the list of all claims
    seeds.py            runs the experiment of a claim for one seed, and keeps what it found
    results.py          runs it for all seeds; the result as a JSON file
    page.py             the results as an HTML page with plots, and as a Markdown table
    recurrence/         claims R1 to R15
    convolution/        claims C1 to C4
    attention/          claims A1 to A44
    transformer/        claims T1 to T41
    history/            claims H3 to H10, of the papers between 2013 and 2017
    worked_examples/    claims W1 to W6
    measuring/          toy networks, their training, and measurements that several claims share
"""
