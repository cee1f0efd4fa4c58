from bench.table import markdown, table, with_quartiles


def spread(median, low=None, high=None):
    return {"median": median, "low": median if low is None else low, "high": median if high is None else high}


def training_row(implementation, tokens, faster=1.0, share=0.5):
    return {
        "implementation": implementation,
        "title": implementation.upper(),
        "info": {"version": "1.2"},
        "tokens_per_second": spread(tokens, tokens - 100, tokens + 100),
        "saccade_is_faster": spread(faster),
        "of_roofline": spread(share),
    }


PIECE = {
    "title": "training, small",
    "rows": [
        training_row("slow", 1500.0, 3.0, 0.25),
        {"implementation": "old", "title": "OLD", "error": "no a|b"},
        training_row("roofline", 9000.0),
        training_row("saccade", 4500.0),
        training_row("quick", 3000.0, 1.5),
    ],
}


def test_a_table_as_it_is_pasted():
    assert table(PIECE) == (
        "**training, small**\n\n"
        "|  | version | target tokens/s | saccade is faster | of the roofline |\n"
        "|---|---|---|---|---|\n"
        "| ROOFLINE | 1.2 | 9,000 [8,900, 9,100] |  |  |\n"
        "| **SACCADE** | 1.2 | 4,500 [4,400, 4,600] |  | 0.50 [0.50, 0.50] |\n"
        "| QUICK | 1.2 | 3,000 [2,900, 3,100] | 1.50 [1.50, 1.50] | 0.50 [0.50, 0.50] |\n"
        "| SLOW | 1.2 | 1,500 [1,400, 1,600] | 3.00 [3.00, 3.00] | 0.25 [0.25, 0.25] |\n"
        "| OLD | fails: no a\\|b |  |  |  |\n"
    )


def test_decoding_has_milliseconds_too():
    row = {**training_row("saccade", 800.0), "ms_per_sentence": spread(1.234)}
    shown = table({"title": "decoding", "rows": [row]})
    assert "| ms a sentence | output tokens/s |" in shown
    assert "| 1.23 [1.23, 1.23] | 800 [700, 900] |" in shown


def test_every_line_has_as_many_cells_as_the_head():
    lines = table(PIECE).splitlines()[2:]
    assert {line.replace("\\|", "").count("|") for line in lines} == {6}


def test_thousands_are_marked():
    assert with_quartiles(spread(12345.6, 2.0, 7000.0)) == "12,346 [2, 7,000]"


def test_an_empty_table_is_its_head():
    assert markdown(["a", "b"], []) == "| a | b |\n|---|---|\n"
