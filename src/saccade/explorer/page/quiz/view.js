/** Quiz: one question at a time; the answers are letters in the state, and so in the link. */

import { words } from "page/app/words";
import { h, word } from "page/elements/dom";
import { keys } from "page/quiz/keys";
import { quiz } from "page/quiz/questions";
import { handIn } from "page/quiz/results";
import { FRAME } from "page/quiz/words";

/** @import { Part, Question } from "page/quiz/question" */
/** @import { Context, View } from "page/types" */

const LETTERS = ["a", "b", "c", "d"];

/** @param {Part[]} parts */
const written = (parts) =>
  parts.map((part) => (typeof part === "string" ? part : word(part.word, { class: "lab-chip" })));
/** @param {Part[]} parts */
const spoken = (parts) => parts.map((part) => (typeof part === "string" ? part : part.word)).join("");

/**
 * What was answered to each question: a place, or -1.
 * @param {Question[]} questions
 * @param {string} answers
 */
function answered(questions, answers) {
  return questions.map((question, at) => {
    const place = LETTERS.indexOf(answers[at]);
    return place < question.options.length ? place : -1;
  });
}

/** @param {Question} question @param {number} place */
const stateOf = (question, place) => (place < 0 ? "open" : place === question.answer ? "right" : "wrong");

/** @param {Context} context @param {Question[]} questions @param {number[]} given @param {number} now */
function progress(context, questions, given, now) {
  /** @param {Question} question @param {number} at */
  const dot = (question, at) => {
    const state = stateOf(question, given[at]);
    const mark = { open: String(at + 1), right: "✓", wrong: "✗" }[state];
    const label = `${FRAME.number(at + 1, questions.length)}, ${FRAME.state[state]}`;
    return h(
      "li",
      {},
      h(
        "a",
        {
          href: context.link("quiz", { question: at }),
          class: `quiz-dot ${state}`,
          "aria-label": label,
          "aria-current": at === now ? "step" : null,
        },
        mark,
      ),
    );
  };
  return h("ol", { class: "quiz-dots" }, questions.map(dot));
}

/** @param {Context} _context @param {Question} question @param {number} place @param {any} answer */
function options(_context, question, place, answer) {
  return h(
    "ol",
    { class: "quiz-options" },
    question.options.map((option, at) => {
      const content = [h("span", { class: "quiz-letter" }, LETTERS[at].toUpperCase()), h("span", {}, written(option))];
      if (place < 0)
        return h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "quiz-option",
              onclick: () => answer(at),
              dataset: { focus: `option-${at}`, option: at },
            },
            content,
          ),
        );
      const state = at === question.answer ? "right" : at === place ? "wrong" : "";
      const said = at === question.answer ? "✓" : at === place ? "✗" : "";
      return h(
        "li",
        {},
        h(
          "div",
          { class: `quiz-option done ${state}`, dataset: { option: at } },
          content,
          said ? h("span", { class: "quiz-mark" }, said) : null,
        ),
      );
    }),
  );
}

/**
 * The verdict as parts, to be read and to be heard.
 * @param {Question} question
 * @param {number} place
 */
function verdict(question, place) {
  if (place === question.answer) return [FRAME.right, " ", ...question.why];
  return [...FRAME.wrong(LETTERS[question.answer].toUpperCase()), " ", ...question.why];
}

/** @type {View} */
export default {
  id: "quiz",
  key: "q",
  keys,
  title: words.viewNames.quiz,
  advance(state, trace, way) {
    const questions = quiz(/** @type {any} */ (trace)).length;
    const next = Math.min(state.question, questions - 1) + way;
    return next >= 0 && next < questions ? { question: next } : null;
  },
  strip: "none",
  bare: true,
  wide: true,
  needs: () => ["memory"],
  /** @param {HTMLElement} main @param {Context} context */
  render(main, context) {
    const root = h("div", { class: "lab" });
    main.append(root);
    const { trace, state } = context;
    const questions = quiz(trace);
    const now = Math.min(state.question, questions.length - 1);
    const given = answered(questions, state.answers);
    const question = questions[now];
    const place = given[now];
    const right = questions.filter((one, at) => given[at] === one.answer).length;
    const done = given.filter((one) => one >= 0).length;

    /** @param {number} at */
    const answer = (at) => {
      const letters = questions.map((_, number) =>
        number === now ? LETTERS[at] : given[number] < 0 ? "-" : LETTERS[given[number]],
      );
      context.set({ answers: letters.join("").replace(/-+$/, "") });
      context.say(spoken(verdict(question, at)));
      /** @type {any} */ (document.querySelector('[data-focus="quiz-next"]'))?.focus();
    };
    /** @param {number} to @param {string} label @param {string} focus */
    const step = (to, label, focus) =>
      h(
        "button",
        {
          type: "button",
          disabled: to < 0 || to >= questions.length,
          onclick: () => context.set({ question: to }),
          dataset: { focus },
        },
        label,
      );

    root.append(
      h("h1", {}, FRAME.title),
      h("p", { class: "lede" }, FRAME.lede),
      progress(context, questions, given, now),
      h(
        "article",
        { class: "quiz-card", "aria-labelledby": "quiz-question" },
        h(
          "p",
          { class: "quiet-text" },
          `${question.live ? FRAME.live : FRAME.idea} · ${FRAME.number(now + 1, questions.length)}`,
        ),
        h("h2", { id: "quiz-question" }, written(question.ask)),
        options(context, question, place, answer),
        place < 0
          ? null
          : h(
              "div",
              { class: `quiz-verdict ${stateOf(question, place)}` },
              h("p", {}, written(verdict(question, place))),
              h(
                "p",
                {},
                h("a", { href: context.link(question.link.view, question.link) }, `${FRAME.look}: ${question.look}`),
              ),
            ),
        h(
          "p",
          { class: "quiz-steps" },
          step(now - 1, FRAME.before, "quiz-before"),
          step(now + 1, FRAME.next, "quiz-next"),
        ),
      ),
      h(
        "p",
        { class: "quiz-score", role: "status" },
        done === questions.length
          ? FRAME.finished(right, questions.length)
          : FRAME.score(right, done, questions.length),
      ),
      done
        ? h("button", { type: "button", onclick: () => context.set({ answers: "", question: 0 }) }, FRAME.again)
        : "",
      done ? handIn(context, questions, given) : "",
      trace ? "" : h("p", { class: "note" }, FRAME.few),
    );
  },
};
