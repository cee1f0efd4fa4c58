/** Train: a small Transformer learns in the page, and every moment of it can be looked at again. */
import { words } from "page/app/words";
import { h, refill } from "page/elements/dom";
import { digits, percent, short } from "page/numbers/numbers";
import { charts } from "page/train/charts";
import { buttons, settings } from "page/train/controls";
import { experiments } from "page/train/experiments";
import { keys } from "page/train/keys";
import { lineInput, writing } from "page/train/line";
import { kinds, maps } from "page/train/maps";
import { paced } from "page/train/paced";
import { tensors } from "page/train/tensors";
import { lineOf, settingsOf, Training } from "page/train/training";
import { TRAIN } from "page/train/words";

/** @import { Progress } from "page/train/training" */
/** @import { Point } from "page/train/trainer" */
/** @import { Context, State, View } from "page/types" */

/** The training outlives the drawing of the view: a resize or another theme does not end it. @type {Training | null} */
let training = null;

/** The training of the state's settings; one that runs goes on running with new ones. @param {Context} context */
function trainingOf({ state }) {
  const wanted = settingsOf(state);
  if (training && JSON.stringify(training.settings) === JSON.stringify(wanted)) return training;
  return begun(wanted, training?.running ?? false);
}

/** @param {ReturnType<typeof settingsOf>} wanted @param {boolean} running */
function begun(wanted, running) {
  training?.end();
  training = new Training(wanted);
  if (running) training.run(true);
  return training;
}

/** The point that is shown: the newest up to the chosen step. @param {Point[]} points @param {Readonly<State>} state */
const shownPoint = (points, { moment }) =>
  points.findLast(({ step }) => moment === null || step <= moment) ?? points[0];

/** @param {Context} context @param {Point[]} points @param {number} step  that is shown */
function timeSlider({ state, set }, points, step) {
  const at = points.indexOf(shownPoint(points, state));
  const newest = points.length - 1;
  const input = h("input", {
    type: "range",
    min: "0",
    max: String(newest),
    step: "1",
    value: String(state.moment === null ? newest : at),
    "aria-label": TRAIN.time,
    "aria-valuetext": TRAIN.moment(step),
    title: TRAIN.timeWhy,
    dataset: { focus: "train-time" },
    oninput: () => set({ moment: Number(input.value) === newest ? null : points[Number(input.value)].step }),
  });
  return h(
    "label",
    { class: "slider train-time" },
    h("span", {}, TRAIN.time),
    input,
    h("output", {}, TRAIN.moment(step)),
  );
}

/** @param {Progress} progress @param {Point} point */
function facts({ loss, speed, rate, parameters }, point) {
  const rows = [
    ["loss", loss === null ? "–" : digits(loss)],
    ["heldOut", digits(point.heldOutLoss)],
    ["rate", short(rate)],
    ["speed", speed === null ? "–" : speed.toFixed(0)],
    ["parameters", String(parameters)],
  ];
  return h(
    "dl",
    { class: "train-facts" },
    rows.map(([name, value]) =>
      h(
        "div",
        {},
        h("dt", {}, TRAIN.facts[/** @type {keyof typeof TRAIN.facts} */ (name)]),
        h("dd", { dataset: { fact: name } }, value),
      ),
    ),
  );
}

/** @type {View} */
export default {
  id: "train",
  key: "r",
  keys,
  title: words.viewNames.train,
  bare: true,
  wide: true,
  strip: "none",
  follows: ["moment", "q", "k"],
  needs: () => [],
  /** @param {HTMLElement} main @param {Context} context */
  render(main, context) {
    let now = trainingOf(context);
    const steering = h("div", {});
    const past = h("div", { class: "train-past" });
    const line = h("div", { dataset: { part: "line" } });
    const pictures = h("div", {});
    const root = h(
      "div",
      { class: "lab train" },
      h("h1", {}, TRAIN.title),
      h("p", { class: "lede" }, TRAIN.lede),
      settings(context),
      steering,
      past,
      h("section", {}, h("h2", {}, TRAIN.line), lineInput(context), line),
      h("section", {}, h("h2", {}, TRAIN.maps), kinds(context), pictures),
    );
    main.append(root);
    const more = h("div", {});
    root.append(more, experiments(context));

    const does = {
      toggle: () => {
        now.run(!now.running);
        if (!now.running) context.say(steering.querySelector(".train-status")?.textContent ?? "");
        drawProgress();
      },
      step: () => {
        context.set({ moment: null });
        now.step();
        drawProgress();
      },
      restart: () => {
        context.set({ moment: null });
        now = begun(now.settings, false);
        now.onchange = heard;
        drawProgress();
      },
    };

    const drawProgress = () => {
      const { progress } = now;
      const { moment, depth } = context.state;
      const point = progress && shownPoint(progress.points, context.state);
      const step = (moment === null ? progress?.step : point?.step) ?? 0;
      refill(steering, () => {
        steering.append(buttons(now, does));
        if (now.problem) steering.append(h("p", { class: "problem", role: "alert" }, TRAIN.problem(now.problem)));
        else if (!progress || !point) steering.append(h("p", { class: "train-status" }, TRAIN.starting));
        else {
          const dataset = { step, running: progress.running ? "yes" : "no" };
          steering.append(h("p", { class: "train-status", dataset }, TRAIN.status(step, percent(point.accuracy))));
          if (depth !== "words") steering.append(facts(progress, point));
        }
      });
      if (!progress || !point) return;
      refill(past, () => {
        past.append(h("div", { class: "train-charts" }, charts(context, progress.points, point.step)));
        past.append(timeSlider(context, progress.points, step));
      });
      const source = lineOf(context.state);
      const wanted = moment === null ? null : point.step;
      if (now.isStale(source, wanted)) now.ask(source, wanted);
    };
    const drawLook = () => {
      const { look } = now;
      if (!look) return;
      refill(line, () => line.append(...writing(context, look).filter((part) => part !== null)));
      refill(pictures, () => pictures.append(maps(context, look, now.settings.heads)));
      refill(more, () => {
        if (context.state.depth === "tensors") more.append(tensors(look));
      });
    };
    const heard = paced(() => {
      // Nobody looks any more: the reader is in another view.
      if (!root.isConnected) now.run(false);
      else {
        drawProgress();
        drawLook();
      }
    });
    now.onchange = heard;
    context.follow(heard);
    drawProgress();
    drawLook();
  },
};
