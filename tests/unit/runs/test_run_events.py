from saccade.runs.run_events import RunEvents


def test_every_listener_hears_notes_and_progress():
    first: list[dict] = []
    second: list[dict] = []
    events = RunEvents((first.append, second.append))
    events.note("an hour to go")
    events.progress("reading", 3, None)
    assert first == second
    assert first == [
        {"event": "note", "text": "an hour to go"},
        {"event": "preparing", "text": "reading", "done": 3, "total": None},
    ]


def test_items_are_reported_as_they_pass():
    heard: list[dict] = []
    passing = RunEvents((heard.append,)).counted("scoring", 2, iter("ab"))
    assert heard == []
    assert next(passing) == "a"
    assert [(event["done"], event["total"]) for event in heard] == [(1, 2)]
    assert list(passing) == ["b"]
    assert [event["done"] for event in heard] == [1, 2]
