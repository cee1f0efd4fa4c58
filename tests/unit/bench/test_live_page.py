from bench.live_page import cpu_seconds, rendered


def test_a_row_without_tokens_has_no_rate():
    rows = [
        {"what": "ready", "tokens": 0, "seconds": 2.0, "cpu_seconds": 1.5},
        {"what": "search, beam 1", "tokens": 900, "seconds": 3.0, "cpu_seconds": 2.0},
    ]
    assert "| ready | 2.00 | 1.50 |  |  |  |" in rendered(rows)
    assert "| search, beam 1 | 3.00 | 2.00 | 900 | 300 | 450 |" in rendered(rows)


def test_processes_that_are_not_ours_do_not_count():
    assert cpu_seconds() == 0.0
