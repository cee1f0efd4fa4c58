/**
 * What a learner can hand in: name, date, score and every answer, as a text to copy and as a file. It is made in the
 * page, and nothing is sent anywhere.
 */
import { save } from "page/drawing/save";
import { h } from "page/elements/dom";
import { HAND_IN } from "page/quiz/words";

/** @import { Part, Question } from "page/quiz/question" */
/** @import { Context, Trace } from "page/types" */

const LETTERS = ["a", "b", "c", "d"];

let name = ""; // as typed; a link does not hold it

/** @param {Part[]} parts */
const spoken = (parts) => parts.map((part) => (typeof part === "string" ? part : part.word)).join("");

/**
 * @param {Question[]} questions
 * @param {number[]} given what was answered to each: a place, or -1
 * @param {Trace | null} trace
 * @param {string} learner
 * @param {Date} now
 */
export function result(questions, given, trace, learner, now) {
  const answered = questions.flatMap((question, at) => (given[at] < 0 ? [] : [{ question, at, place: given[at] }]));
  return {
    schema: "saccade-quiz/1",
    name: learner,
    date: now.toISOString().slice(0, 10),
    model: trace?.model.name ?? null,
    sentence: trace?.source_text ?? null,
    right: answered.filter(({ question, place }) => place === question.answer).length,
    answered: answered.length,
    questions: questions.length,
    answers: answered.map(({ question, at, place }) => ({
      number: at + 1,
      question: spoken(question.ask),
      answer: `${LETTERS[place]}) ${spoken(question.options[place])}`,
      correct: place === question.answer,
      key: `${LETTERS[question.answer]}) ${spoken(question.options[question.answer])}`,
    })),
  };
}

/** The same to be read. @param {ReturnType<typeof result>} made */
export function resultText(made) {
  const about = made.sentence === null ? [] : [`${made.model}: ${made.sentence}`];
  return [
    `${HAND_IN.quiz} · ${made.name || HAND_IN.nameless} · ${made.date}`,
    ...about,
    HAND_IN.score(made.right, made.answered, made.questions),
    "",
    ...made.answers.flatMap((one) => [
      `${one.number}. ${one.question}`,
      `   ${one.correct ? "✓" : "✗"} ${one.answer}`,
      ...(one.correct ? [] : [`   → ${one.key}`]),
    ]),
    "",
  ].join("\n");
}

/** @param {Context} context @param {Question[]} questions @param {number[]} given */
export function handIn(context, questions, given) {
  const made = () => result(questions, given, context.trace, name.trim(), new Date());
  const shown = h("pre", { class: "quiz-result", tabindex: "0", "aria-label": HAND_IN.title }, resultText(made()));
  const field = h("input", {
    type: "text",
    value: name,
    dir: "auto",
    dataset: { focus: "quiz-name" },
    oninput: () => {
      name = field.value;
      shown.textContent = resultText(made());
    },
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(resultText(made()));
      context.say(HAND_IN.copied);
    } catch {
      getSelection()?.selectAllChildren(shown); // to be copied by hand
      context.say(HAND_IN.selected);
    }
  };
  const download = () =>
    save(new Blob([`${JSON.stringify(made(), null, 2)}\n`], { type: "application/json" }), HAND_IN.file);
  return h(
    "details",
    { class: "quiz-hand-in" },
    h("summary", { dataset: { focus: "quiz-hand-in" } }, HAND_IN.title),
    h("p", { class: "quiet-text" }, HAND_IN.why),
    h("label", { class: "field" }, h("span", {}, HAND_IN.name), field),
    h(
      "p",
      { class: "quiz-steps" },
      h("button", { type: "button", onclick: copy }, HAND_IN.copy),
      h("button", { type: "button", onclick: download }, HAND_IN.save),
    ),
    shown,
  );
}
