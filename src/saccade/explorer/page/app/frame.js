/** What stands around every view: the sentence, the list of views, notes, the inspector and the strip of words. */

import { exportDialog, helpDialog, searchDialog } from "page/app/dialogs";
import { inspector } from "page/app/inspector";
import { togglePresenting } from "page/app/presenter";
import { inThisFile, tryThese } from "page/app/suggestions";
import { tokens } from "page/app/token-strip";
import { words } from "page/app/words";
import { INSPECTOR } from "page/app/words-inspector";
import { segmented, select } from "page/elements/controls";
import { h, refill } from "page/elements/dom";
import { LANGUAGES, language } from "page/language/language";
import { inPageLanguage } from "page/language/program";
import { source } from "page/trace/attention";
import { wishOf } from "page/trace/store";

/** @import { App, Child, Context, PageDocument, View } from "page/types" */

const LONG = 96;

/** What a reader of words goes back to: places that were counted in pieces mean nothing in words. */
const WHOLE_WORDS = /** @type {const} */ ({ unit: "word", q: null, k: null });

/** @param {HTMLElement} root @param {App} app @param {readonly View[]} views */
export function frame(root, app, views) {
  const sentence = h("textarea", {
    id: "sentence",
    rows: "1",
    dir: "auto",
    spellcheck: "false",
    "aria-label": words.sentence,
    placeholder: words.placeholder,
  });
  const submit = () => {
    const link = /#\/[a-z]+\?\S*$/.exec(sentence.value.trim());
    if (link) return app.visit(link[0]);
    const asked = sentence.value.trim().replace(/\s*\n\s*/g, " ");
    if (asked === app.state.sentence && app.traces.failure(app.state)) app.traces.retry();
    return app.set({
      sentence: asked,
      force: "",
      prefix: "",
      q: null,
      k: null,
      step: null,
      hyp: null,
    });
  };
  const grow = () => {
    sentence.style.setProperty("height", "auto");
    sentence.style.setProperty("height", `${Math.min(sentence.scrollHeight + 2, 110)}px`);
  };
  sentence.addEventListener("input", grow);
  sentence.addEventListener("focus", grow); // on a phone it was one line
  sentence.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
    if (event.key === "Escape") sentence.blur();
  });
  const tools = h("div", { class: "top-tools", id: "tools" });
  const menu = h(
    "button",
    {
      type: "button",
      class: "menu quiet",
      "aria-expanded": "false",
      "aria-controls": "tools",
      onclick: () => menu.setAttribute("aria-expanded", String(header.classList.toggle("open"))),
    },
    words.menu,
  );
  const brand = h("a", { class: "brand", href: "#/home" }, words.brand);
  const header = h(
    "header",
    { class: "top" },
    brand,
    h(
      "form",
      {
        class: "ask",
        onsubmit: (event) => {
          event.preventDefault();
          submit();
        },
      },
      sentence,
      h("button", { type: "submit", class: "primary" }, words.translate),
    ),
    menu,
    tools,
  );
  const rail = h("nav", { class: "rail", "aria-label": words.views });
  const notes = h("div", { class: "notes", role: "status" });
  const printed = h("p", { class: "printed", dir: "auto" });
  const main = h("main", { id: "view", tabindex: "-1" });
  const side = h("aside", { class: "side", "aria-label": INSPECTOR.title });
  const strip = h("footer", { class: "strip" });
  const live = h("div", { class: "unseen", "aria-live": "polite", id: "live" });
  const skip = h(
    "a",
    {
      class: "skip",
      href: "#view",
      onclick: (event) => {
        event.preventDefault();
        main.focus();
      },
    },
    words.skip,
  );
  const body = h("div", { class: "body" }, rail, h("div", { class: "middle" }, printed, notes, main), side);
  const bar = h("progress", { class: "measuring", "aria-label": words.leavingOut, title: words.leavingOut, max: 1 });
  bar.hidden = true;
  root.append(skip, header, bar, body, strip, live);

  /** @type {string[]} */
  const said = [];
  return {
    main,
    sentence,
    width: () => Math.floor(main.clientWidth),
    /** @param {string} text */
    say: (text) => {
      live.textContent = text;
    },
    /** @param {HTMLElement} place @param {Context} context */
    instead: (place, context) => instead(place, context, app),
    /** How much is written, or which share is done of what takes longer. @param {number} written @param {number} [share] */
    progress: (written, share) => {
      const said = main.querySelector(".progress");
      if (said) said.textContent = words.progress(written);
      bar.hidden = share === undefined;
      bar.value = share ?? 0;
    },
    /** @param {boolean} wide */
    widen: (wide) => body.classList.toggle("wide", wide),
    help: () => helpDialog(views, app),
    export: () => exportDialog(app),
    /** @param {Context} context */
    update(context) {
      if (document.activeElement !== sentence || !said.includes(context.state.sentence))
        sentence.value = context.state.sentence;
      said[0] = context.state.sentence;
      refill(tools, () => tools.append(...topTools(context, app, views)));
      brand.setAttribute("href", context.link("home"));
      printed.textContent = context.trace ? source(context.trace, { hide: false, share: false, mass: 1 })[0] : "";
      grow();
      refill(rail, () => rail.append(...railOf(context, app, views)));
      notes.replaceChildren(...notesOf(context, app).map(([kind, note]) => h("p", { class: kind }, note)));
      refill(side, () => guarded(side, () => inspector(side, context)));
      side.hidden = !context.trace || body.classList.contains("wide");
      refill(strip, () => guarded(strip, () => tokens(strip, context, app.view().strip === "steps")));
      strip.hidden = !context.trace || app.view().strip === "none";
    },
  };
}

/**
 * What cannot be drawn says so in its own place, and leaves the others alone.
 * @param {HTMLElement} place
 * @param {() => void} fill
 */
function guarded(place, fill) {
  try {
    fill();
  } catch (error) {
    place.append(h("p", { class: "bad-text" }, words.notDrawn(/** @type {Error} */ (error).message)));
  }
}

/** @param {Context} context @param {App} app @param {readonly View[]} views */
function topTools(context, app, views) {
  const { state, set, document: given } = context;
  const known = new Map(
    [...given.models, ...given.traces.map((trace) => trace.model)].map((model) => [model.id, model]),
  );
  const models = [...known.values()].map((model) => ({
    value: model.id,
    name: model.name === model.architecture ? model.name : `${model.name} · ${model.architecture}`,
  }));
  /** @param {string} model */
  const choose = (model) =>
    set({
      model,
      layer: null,
      head: "mean",
      q: null,
      k: null,
      step: null,
      ...(context.served ? {} : holding(given, model)),
    });
  /** @param {string} name @param {() => void} onclick @param {string} [title] */
  const button = (name, onclick, title) => h("button", { type: "button", class: "quiet", title, onclick }, name);
  if (state.present)
    return [
      button(state.veiled ? words.unveil : words.veil, () => set({ veiled: !state.veiled })),
      button(words.presentEnd, () => togglePresenting(app)),
    ];
  return [
    models.length > 1
      ? select(words.model, models, state.model, choose, { seen: false })
      : models.length
        ? h("span", { class: "model-name", title: words.model }, models[0].name)
        : null,
    context.served ? button(words.settings, () => searchDialog(app), words.settingsWhy) : null,
    button(words.share, () => share(app, context)),
    button(words.export, () => exportDialog(app)),
    select(
      words.theme,
      Object.entries(words.themes).map(([value, name]) => ({ value, name })),
      state.theme,
      (theme) => set({ theme }),
      { seen: false },
    ),
    languages(context), // on a phone, where the list of views has no room for it
    button("?", () => helpDialog(views, app), words.help),
  ].filter((one) => one !== null);
}

/**
 * In a file without a server a model comes with a sentence of its own, where it lacks the chosen one.
 * @param {PageDocument} given
 * @param {string} model
 */
function holding(given, model) {
  const found = given.traces.find((trace) => trace.model.id === model && !trace.what_if && !trace.options.force);
  return found ? wishOf(found) : {};
}

/** @param {App} app @param {Context} context */
async function share(app, context) {
  try {
    await navigator.clipboard.writeText(location.href);
    context.say(words.shared);
    app.tell(words.shared);
  } catch {
    app.tell(words.copyFrom(location.href));
  }
}

/** @param {Context} context @param {App} app @param {readonly View[]} views */
function railOf(context, app, views) {
  const { state, set } = context;
  const links = views.map((view) =>
    h(
      "a",
      {
        href: context.link(view.id),
        "aria-current": view.id === state.view ? "page" : null,
        dataset: { focus: `view-${view.id}` },
      },
      view.title,
      h("kbd", { "aria-hidden": "true" }, view.key),
    ),
  );
  const narrow = h(
    "select",
    {
      class: "rail-select",
      "aria-label": words.views,
      onchange: (event) => set({ view: event.target.value }),
      dataset: { focus: "rail" },
    },
    views.map((view) => h("option", { value: view.id, selected: view.id === state.view }, view.title)),
  );
  const depth = h(
    "div",
    { class: "depth" },
    h("span", { class: "strip-title" }, words.depth),
    segmented(
      words.depth,
      Object.entries(words.depths).map(([value, name]) => ({ value, name })),
      state.depth,
      (value) => set({ depth: value, ...(value === "words" && state.unit === "piece" ? WHOLE_WORDS : {}) }),
    ),
  );
  const present = h(
    "button",
    { type: "button", class: "quiet present", title: words.presentWhy, onclick: () => togglePresenting(app) },
    words.present,
  );
  const parts = [h("div", { class: "rail-links" }, links), narrow, depth, languages(context), present];
  return parts.filter((one) => one !== null);
}

/** The language of the page; a notebook's frame has no address to keep a choice in. @param {Context} context */
function languages({ set }) {
  if (location.protocol === "about:") return null;
  const choices = Object.entries(LANGUAGES).map(([value, name]) => ({ value, name }));
  return h(
    "div",
    { class: "language" },
    select(words.language, choices, language, (chosen) => set({ language: chosen }), { seen: false }),
  );
}

/** A character that keeps its direction of writing to itself: an Arabic one would turn the list around. @param {string} one */
const isolated = (one) => `\u2068${one}\u2069`;

/** Asks again for what failed. @param {App} app */
const again = (app) => h("button", { type: "button", onclick: () => app.traces.retry() }, words.retry);

/**
 * What must be said about what is shown.
 * @param {Context} context
 * @param {App} app
 */
function notesOf({ trace, document: given }, app) {
  /** @type {[string, Child][]} */
  const notes = app.notes.map((note) => ["note", note]);
  if (app.told) notes.push(["note told", app.told]);
  if (given.lossy) notes.push(["note", words.lossy]);
  if (!trace) return notes;
  const failed = app.traces.failure(app.state); // more of a sentence that is here: alone it would be missed in silence
  if (failed) notes.push(["note problem", [`${failed.message} ${failed.hint ?? ""} `, again(app)]]);
  if (trace.remarks?.length) notes.push(["note remarks", trace.remarks.map(inPageLanguage).join(" ")]);
  const size = Math.max(trace.axes.source.tokens.length, trace.axes.target.tokens.length);
  if (size > LONG) notes.push(["note", words.long(size)]);
  if (trace.unknown?.length) notes.push(["note", words.unknown(trace.unknown.map(isolated))]);
  if (trace.what_if) notes.push(["note what-if", words.whatIf(trace.what_if.written ?? trace.what_if.name)]);
  if (trace.output.finished === false) notes.push(["note", words.unfinished]);
  return notes;
}

/**
 * What is shown where there is no trace: what went wrong, a wait, or what could be tried.
 * @param {HTMLElement} place
 * @param {Context} context
 * @param {App} app
 */
function instead(place, context, app) {
  const error = context.failed();
  if (error) {
    place.append(
      h(
        "div",
        { class: "problem", role: "alert" },
        h("strong", {}, error.message),
        error.detail ? h("p", {}, error.detail) : null,
        error.hint ? h("p", {}, error.hint) : null,
        again(app),
      ),
    );
  } else if (context.waits()) {
    place.append(
      h(
        "p",
        { class: "waiting" },
        h("span", { class: "progress" }, words.waiting),
        h("button", { type: "button", class: "quiet", onclick: () => app.traces.cancel() }, words.cancel),
      ),
    );
    return;
  }
  place.append(context.served ? tryThese(context, "h1") : held(context));
}

/** The sentences a file holds. @param {Context} context */
function held(context) {
  return h("section", { class: "empty" }, h("h1", {}, words.notHere), h("p", {}, words.holds), inThisFile(context));
}
