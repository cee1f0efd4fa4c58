/** Home: the model as a map. Its boxes lead to the views, and the sentence's vectors travel along it. */

import { isPlaying, toggled } from "page/app/playing";
import { advanceDecoding } from "page/app/presenter";
import { words } from "page/app/words";
import { inks } from "page/drawing/chart";
import { SvgSurface } from "page/drawing/surface";
import { h, word } from "page/elements/dom";
import { journey } from "page/home/journey";
import { tour } from "page/home/tour";
import { HOME } from "page/home/words";
import { drawModel, size } from "page/model/drawing";
import { plan } from "page/model/plan";
import { wishOf } from "page/trace/store";

/** @import { Layout, PlacedBox } from "page/model/drawing" */
/** @import { Context, State, View } from "page/types" */

/** @type {View} */
export default {
  id: "home",
  key: "h",
  title: words.viewNames.home,
  advance: advanceDecoding,
  wide: true,
  strip: "steps",
  follows: ["step", "q", "k"],
  needs: () => ["embedding", "final", "memory"],
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const { trace, state } = context;
    const found = plan(trace);
    const { width, height } = size(found);
    const surface = new SvgSurface(width, height);
    const layout = drawModel(surface, found, context.theme);
    surface.element.setAttribute("aria-hidden", "true");
    const canvas = h("canvas", { "aria-hidden": "true" });
    const doors = layout.boxes.map((one) => door(context, layout, one));
    const here = h("p", { class: "home-here quiet-text" }, HOME.strips);
    const marks = marking(doors, layout, here);
    const travel = journey(canvas, trace, layout, context.theme, marks.pass);
    const output = h("p", { class: "to home-output", lang: trace.model.target_language });
    const play = h("button", { type: "button", class: "primary", dataset: { focus: "home-play" } });
    const named = () => {
      play.textContent = isPlaying() ? HOME.pause : HOME.play;
    };
    play.addEventListener("click", () => {
      toggled(context);
      named();
    });
    /** @param {Readonly<State>} now */
    const follow = (now) => {
      named();
      write(output, context, now.step);
      travel.run(now.step);
    };
    root.append(
      h("h1", {}, HOME.heading),
      h(
        "div",
        { class: "home" },
        h(
          "div",
          { class: "home-words" },
          h(
            "p",
            { class: "from", lang: trace.model.source_language },
            word(trace.source_text || wishOf(trace).sentence),
          ),
          output,
          h("p", {}, HOME.lead),
          h(
            "div",
            { class: "home-steps" },
            play,
            tour(marks.mark, (stop) =>
              layout.boxes.some((one) => one.box.kind === stop.kind && one.stack === stop.stack),
            ),
          ),
          here,
        ),
        h(
          "nav",
          {
            class: "home-map",
            "aria-label": HOME.drawing,
            style: { "--width": `${width}`, "--height": `${height}`, "--line": inks(context.theme).quiet },
          },
          surface.element,
          canvas,
          doors,
        ),
      ),
    );
    context.follow(follow);
    follow(state);
  },
};

/**
 * A box as a link, over its picture.
 * @param {Context} context
 * @param {Layout} layout
 * @param {PlacedBox} one
 */
function door(context, layout, { box, x, y, width, height }) {
  const place = {
    left: `${(100 * x) / layout.width}%`,
    top: `${(100 * y) / layout.height}%`,
    width: `${(100 * width) / layout.width}%`,
    height: `${(100 * height) / layout.height}%`,
  };
  const link = box.link;
  return h(link ? "a" : "span", {
    class: "home-door",
    style: place,
    href: link ? context.link(link.view, /** @type {any} */ ({ q: null, k: null, ...link })) : null,
    title: link ? HOME.open(box.label, link.view) : null,
    "aria-label": link ? HOME.open(box.label, link.view) : null,
  });
}

/**
 * Two marks on the boxes: where the vectors are, and where the tour is. The line of text follows the first.
 * @param {HTMLElement[]} doors
 * @param {Layout} layout
 * @param {HTMLElement} here
 */
function marking(doors, layout, here) {
  /** @param {string} name @param {(one: PlacedBox) => boolean} fits */
  const set = (name, fits) => {
    doors.forEach((element, i) => element.classList.toggle(name, fits(layout.boxes[i])));
  };
  return {
    /** @param {PlacedBox | null} now */
    pass: (now) => {
      set("here", (one) => one === now);
      here.textContent = (now && HOME.here[now.box.kind]) || HOME.strips;
    },
    /** @param {{kind: string, stack: string} | null} stop */
    mark: (stop) => set("told", ({ box, stack }) => box.kind === stop?.kind && stack === stop.stack),
  };
}

/**
 * The translation as far as it is written.
 * @param {HTMLElement} place
 * @param {Context} context
 * @param {number | null} step
 */
function write(place, { trace }, step) {
  place.replaceChildren(
    ...trace.axes.target.words
      .filter((one) => !one.special)
      .map((one) => h("span", { class: step !== null && one.pieces[0] > step ? "later" : null }, word(one.text), " ")),
  );
}
