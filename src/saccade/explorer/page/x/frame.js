/** What stands around every view: the sentence, the list of views, notes, and what is said when there is nothing to draw. */
import { h, refill, word } from "x/dom";

/** @param {HTMLElement} root @param {any} app @param {any[]} views */
export function frame(root, app, views) {
  const sentence = h("textarea", { id: "sentence", rows: "1", dir: "auto", spellcheck: "false", "aria-label": "Sentence", placeholder: "Type a sentence" });
  const submit = () => app.set({ sentence: sentence.value.trim(), q: null, k: null, step: null });
  sentence.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); submit(); } });
  const header = h("header", { class: "top" }, h("span", { class: "brand" }, "saccade"), sentence, h("button", { type: "button", class: "primary", onclick: submit }, "Translate"));
  const rail = h("nav", { class: "rail", "aria-label": "Views" });
  const notes = h("div", { class: "notes", role: "status" });
  const main = h("main", { id: "view", tabindex: "-1" });
  const live = h("div", { class: "unseen", "aria-live": "polite", id: "live" });
  root.append(header, h("div", { class: "body" }, rail, h("div", { class: "middle" }, notes, main)), live);
  return {
    main,
    width: () => Math.floor(main.clientWidth - 2),
    say: (text) => { live.textContent = text; },
    instead: (place, context) => instead(place, context, app),
    update(context) {
      if (document.activeElement !== sentence) sentence.value = context.state.sentence;
      refill(rail, () => rail.append(...views.map((view) => h("a", { href: context.link(view.id), "aria-current": view.id === context.state.view ? "page" : null }, view.title))));
      notes.replaceChildren(...app.notes.map((note) => h("p", { class: "note" }, note)));
    },
  };
}

function instead(place, context, app) {
  const error = context.failed();
  if (error) place.append(h("div", { class: "problem", role: "alert" }, h("strong", {}, error.message), h("p", {}, error.detail), h("p", {}, error.hint), h("button", { type: "button", onclick: () => app.traces.retry() }, "Try again")));
  else if (context.waits()) place.append(h("p", { class: "waiting" }, "Reading the sentence …"));
  else place.append(h("p", { class: "empty" }, "Type a sentence above.", word("")));
}
