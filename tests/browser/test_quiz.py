"""The quiz: right answers are right by numpy, the same trace asks the same, and a keyboard is enough."""

import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from saccade.explorer.session import Session
from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

SENTENCES = ["The cat drank the milk.", "Nobody knows why the birds came back so early.", "The town."]
STACKS = {"enc": ("enc", "self"), "dec": ("dec", "self"), "cross": ("dec", "cross")}


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions(detail=("memory",)))


def made(page, trace) -> list[dict]:
    """The questions of a trace, as the page makes them."""
    return page.evaluate('async (trace) => (await import("page/quiz/questions")).quiz(trace)', trace)


def said(parts: list) -> str:
    return "".join(part if isinstance(part, str) else part["word"] for part in parts)


def right(question: dict) -> str:
    return said(question["options"][question["answer"]])


def words(trace, axis: str) -> list[dict]:
    return trace["axes"][axis]["words"]


def by_words(trace, link: dict) -> np.ndarray:
    """The weights a link points at: rows are means over a word's pieces, columns sums."""
    stack, kind = STACKS[link["kind"]]
    weights = from_json(trace["tensors"][f"{stack}.{link['layer']}.{kind}.weights"])[link["head"]].astype(np.float64)
    rows = words(trace, "source" if link["kind"] == "enc" else "reads")
    columns = words(trace, "reads" if link["kind"] == "dec" else "source")
    return np.array([[weights[row["pieces"]][:, column["pieces"]].sum(1).mean() for column in columns] for row in rows])


def named(texts: list[str]) -> list[str]:
    return [text if texts.count(text) == 1 else f"{text} (place {at + 1})" for at, text in enumerate(texts)]


def labels(trace, link: dict) -> tuple[list[str], list[str]]:
    rows = words(trace, "source" if link["kind"] == "enc" else "reads")
    columns = words(trace, "reads" if link["kind"] == "dec" else "source")
    return named([word["text"] for word in rows]), named([word["text"] for word in columns])


def softmax(scores: list[float]) -> np.ndarray:
    exps = np.exp(np.array(scores) - max(scores))
    return exps / exps.sum()


def verify(trace, question: dict) -> None:
    """Answers a question from the tensors, without the page."""
    link, answer = question["link"], right(question)
    steps, source = trace["steps"], trace["axes"]["source"]["tokens"]
    match question["id"]:
        case "most":
            row = by_words(trace, link)[link["q"]]
            assert answer == labels(trace, link)[1][int(row.argmax())]
            assert link["k"] == row.argmax()
        case "weight":
            assert answer == f"{by_words(trace, link)[link['q'], link['k']]:.2f}"
        case "hidden":
            rows, columns = labels(trace, link)
            assert answer == columns[link["k"]]
            assert link["k"] > link["q"]
            hidden = {said(option) for option in question["options"]} & set(columns[link["q"] + 1 :])
            assert hidden == {answer}
            assert rows[link["q"]] in said(question["ask"])
        case "rowsum":
            assert answer == "1.00"
            assert by_words(trace, link)[link["q"]].sum() == pytest.approx(1, abs=1e-5)
        case "memory":
            assert int(answer) == trace["memory"]["numbers"]
        case "cells":
            assert int(answer) == len(source) ** 2
        case "sure":
            step = steps[link["step"]]
            assert answer == f"{np.exp(step['logprob']):.2f}"
        case "doubt":
            least = min(steps, key=lambda step: step["logprob"])
            assert link["step"] == least["t"]
        case "spread":
            stack, kind = STACKS[link["kind"]]
            layer = int(re.findall(r"layer (\d+)", said(question["ask"]))[0]) - 1
            weights = from_json(trace["tensors"][f"{stack}.{layer}.{kind}.weights"]).astype(np.float64)
            logarithms = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
            assert answer == f"head {1 + int((-weights * logarithms).sum(-1).mean(-1).argmax())}"
        case "softmax":
            scores = [float(found) for found in re.findall(r"\d+", said(question["ask"]))]
            assert answer == ", ".join(f"{value:.2f}" for value in softmax(scores))
        case "rounds":
            assert int(answer) == len(steps)
        case "path":
            assert int(answer) == len([word for word in words(trace, "source") if not word["special"]]) - 1
        case "second":
            top = steps[link["step"]]["top"]
            assert answer == (top[1]["text"] or top[1]["piece"])
            assert top[1]["p"] == max(candidate["p"] for candidate in top[1:])
        case "vocabulary":
            assert int(answer) == trace["model"]["target_vocabulary"]
        case other:
            raise AssertionError(f"a question nobody checks: {other}")


@pytest.mark.slow
def test_every_right_answer_about_the_sentence_is_right_by_numpy(visit, server, session, make_model):
    page = visit(f"{server}/#/quiz?d=numbers")
    many = Session({"many": make_model("transformer", seed=11, heads=4)})
    asked = [many.trace("many", SENTENCES[0], TraceOptions(detail=("memory",)))]
    asked += [session.trace("tiny", sentence, TraceOptions(detail=("memory",))) for sentence in SENTENCES[1:]]
    for trace in asked:
        questions = [question for question in made(page, trace) if question["live"]]
        assert len(questions) >= 5
        for question in questions:
            verify(trace, question)
            options = [said(option) for option in question["options"]]
            assert len(set(options)) == len(options) >= 3
    assert "spread" in [question["id"] for question in made(page, asked[0])]


@pytest.mark.slow
def test_a_system_without_attention_is_asked_about_other_things(visit, server, make_model, sentence):
    trace = Session({"seq": make_model("seq2seq", width=16, layers=2)}).trace(
        "seq", sentence, TraceOptions(detail=("memory",))
    )
    questions = [question for question in made(visit(f"{server}/#/quiz?d=numbers"), trace) if question["live"]]
    assert len(questions) >= 5
    assert {question["id"] for question in questions}.isdisjoint({"most", "weight", "hidden", "rowsum", "spread"})
    for question in questions:
        verify(trace, question)


@pytest.mark.slow
def test_the_same_trace_asks_the_same_and_another_asks_in_another_order(visit, server, trace, session):
    page = visit(f"{server}/#/quiz?d=numbers")
    assert made(page, trace) == made(page, trace)
    other = session.trace("tiny", SENTENCES[1], TraceOptions(detail=("memory",)))
    assert [one["answer"] for one in made(page, trace)] != [one["answer"] for one in made(page, other)]


@pytest.mark.slow
def test_five_ideas_come_first_and_need_no_sentence(visit, server):
    page = visit(f"{server}/#/quiz?d=numbers", fresh=True)
    questions = made(page, None)
    assert [question["id"] for question in questions] == ["purpose", "query", "positions", "score", "output"]
    assert all(len(question["options"]) == 4 for question in questions)
    assert page.locator(".quiz-dots li").count() == 5


@pytest.mark.core
def test_a_keyboard_is_enough(visit, export, trace):
    page = visit(export([trace], "#/quiz?d=numbers"), offline=True)
    question = made(page, trace)[0]
    page.locator(".quiz-option").first.focus()
    for _ in range(question["answer"]):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".quiz-verdict").inner_text().startswith("Right.")
    assert page.locator("#live").inner_text().startswith("Right.")
    assert page.locator(".quiz-score").inner_text().startswith("1 right of 1 answered")
    assert page.evaluate("document.activeElement.textContent") == "Next question"
    page.keyboard.press("Enter")
    wrong = (made(page, trace)[1]["answer"] + 1) % 4
    page.locator(".quiz-option").nth(wrong).focus()
    page.keyboard.press("Enter")
    letter = "ABCD"[made(page, trace)[1]["answer"]]
    assert f"the answer is {letter}." in page.locator(".quiz-verdict").inner_text()
    assert page.locator(".quiz-score").inner_text().startswith("1 right of 2 answered")
    assert f"ans={'abcd'[question['answer']]}{'abcd'[wrong]}" in page.url


@pytest.mark.slow
def test_an_answer_leads_to_the_cell_that_shows_it(visit, export, ready, trace):
    page = visit(export([trace], "#/quiz?d=numbers"), offline=True)
    questions = made(page, trace)
    at = next(place for place, question in enumerate(questions) if question["id"] == "most")
    letters = "-" * at + "abcd"[questions[at]["answer"]]
    page = visit(export([trace], f"#/quiz?d=numbers&qn={at}&ans={letters}"), offline=True)
    page.locator(".quiz-verdict a").click()
    ready(page, "heat")
    link = questions[at]["link"]
    for key, value in {"kind": link["kind"], "h": link["head"], "q": link["q"], "k": link["k"]}.items():
        assert f"{key}={value}" in page.url or (key, value) == ("kind", "cross")
    value = by_words(trace, link)[link["q"], link["k"]]
    assert f"{value:.4f}" in page.locator("aside").inner_text()


@pytest.mark.slow
def test_answers_survive_in_the_link_alone(visit, export, trace):
    questions = made(visit(export([trace], "#/quiz?d=numbers"), offline=True), trace)
    letters = "".join("abcd"[question["answer"]] for question in questions)
    page = visit(export([trace], f"#/quiz?d=numbers&ans={letters}"), offline=True)
    assert f"{len(questions)} of {len(questions)} right" in page.locator(".quiz-score").inner_text()
    assert page.locator(".quiz-dot.right").count() == len(questions)
    page.get_by_role("button", name="Start again").click()
    assert page.locator(".quiz-dot.open").count() == len(questions)
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('quiz')).length") == 0


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_nobody_is_shut_out(visit, export, trace, dark):
    page = visit(export([trace], "#/quiz?d=numbers&ans=ab"), dark=dark)
    assert json.dumps(Axe().run(page).response["violations"]) == "[]"
    page = visit(export([trace], "#/quiz?d=numbers&qn=6"), dark=dark, width=390)
    assert json.dumps(Axe().run(page).response["violations"]) == "[]"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
