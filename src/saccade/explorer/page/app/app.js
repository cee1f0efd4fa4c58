/**
 * The frame and the router.
 *
 * A view is a module `page/NAME/view` with a default export
 *
 *   { id, key, title,                    key: the letter after "g" that goes there
 *     needs(state, document) -> [...],   details the main trace must hold: "block:dec.0.cross", "influence", "beam" ...
 *     follows: ["q", "k"],               optional: changes of these keys alone do not draw the view again (its matrices
 *                                        follow through `follow` in their specification)
 *     wide: true,                        optional: takes the inspector's place too
 *     strip: "steps",                    optional: of the strip at the bottom only the decoding steps; "none": nothing
 *     bare: true,                        optional: can be drawn without a trace
 *     render(root, context) }
 *
 * that draws the state as it is: a pure function of (document, state). `context` has
 *
 *   document   {traces, models, cost, lossy, route}: the traces loaded so far, the models the server has
 *   trace      the trace of the chosen model and sentence (null only for a `bare` view)
 *   state      the state (page/state/state); read only
 *   set        set({layer: 2}) changes it, the link and the picture
 *   want       want({whatif: "scale:off"}, ["block:enc.0.self"]) -> the trace of the state with these changes, or null
 *              while it is not here; it is asked for, and the view is drawn again when it arrives
 *   waits      waits(changes) -> whether it is on its way;  failed(changes) -> what went wrong (a Problem), or null
 *   served     whether new sentences can be asked for: of a server, or of a model inside the page
 *   theme      "light" or "dark"          width   pixels the view may fill
 *   say        say("...") reads a sentence aloud (polite live region)
 *   go         go("heat", {layer: 1}) -> sets the view and more;  link("heat", {...}) -> the hash, for an <a href>
 *   drawings   pictures of this view that can be saved (page/drawing/save puts them there)
 *   follow     follow((state) => ...) called when only keys in `follows` have changed
 */

import { markTerms, showDefinitions } from "page/app/definitions";
import { OPENING } from "page/app/example-sentences";
import { frame } from "page/app/frame";
import { showFramed, tellFrame } from "page/app/framed";
import { showPresenting } from "page/app/presenter";
import { keyboard } from "page/app/shortcuts";
import * as themes from "page/app/theme";
import { views } from "page/app/views";
import { words } from "page/app/words";
import { h, refill } from "page/elements/dom";
import { language, languageHere } from "page/language/language";
import { defaults, format, isKey, isMove, parse } from "page/state/state";
import * as inPage from "page/trace/live";
import { asks, sourceLanguage, Traces, wish, wishOf } from "page/trace/store";

/** @import { Changes, Context, PageDocument, State, Trace, View } from "page/types" */

/** Pixels that a view may fill on a sheet of A4. */
const PAPER = 680;

/** Starts the page. @param {HTMLElement} root @param {any} document_ */
export function start(root, document_) {
  if (document_.schema !== "explore-document/1") {
    root.append(h("p", { class: "problem", role: "alert" }, words.otherSchema(document_.schema)));
    document.documentElement.dataset.ready = "yes";
    return;
  }
  new App(root, document_).open();
}

class App {
  /** @param {HTMLElement} root @param {PageDocument} given */
  constructor(root, given) {
    document.documentElement.lang = language;
    this.document = given;
    this.traces = new Traces(
      given,
      () => this.draw(),
      (written, share) => this.frame.progress(written, share),
    );
    this.state = defaults();
    /** @type {string[]} */
    this.notes = [];
    this.told = "";
    this.letters = true;
    /** @type {((state: State) => void)[]} */
    this.followers = [];
    this.frame = frame(root, /** @type {any} */ (this), views);
    addEventListener("popstate", () => this.read(location.hash));
    addEventListener("hashchange", () => {
      if (format(this.state) !== location.hash) this.read(location.hash);
    });
    root.addEventListener("click", (event) => this.follow(event));
    themes.onSystemChange(() => this.draw());
    this.printing = false;
    matchMedia("print").addEventListener("change", ({ matches }) => {
      this.printing = matches;
      this.draw();
    });
    keyboard(/** @type {any} */ (this), views);
    showDefinitions(root);
    new ResizeObserver(() => {
      if (this.drawn && !this.printing && this.frame.width() !== this.drawnWidth) this.draw();
    }).observe(this.frame.main);
  }

  /**
   * Links inside the page: in a notebook's frame the browser would take them for links of the notebook.
   * @param {MouseEvent} event
   */
  follow(event) {
    const link = /** @type {Element} */ (event.target).closest?.('a[href^="#/"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { state, notes } = parse(link.getAttribute("href") ?? "");
    this.set(this.completed({ ...state, theme: this.state.theme }, notes));
  }

  /** The state the page opens with: the link's, or the document's, or the first trace's. */
  open() {
    if (inPage.live()) inPage.start();
    const linked = location.hash.length > 2;
    this.read(linked ? location.hash : this.document.route);
    if (linked || this.state.view !== "home") return;
    const opening = OPENING[sourceLanguage(this) ?? ""];
    if (!this.state.sentence && opening && asks()) this.set({ sentence: opening });
    this.frame.sentence.focus();
  }

  /** Goes to the state of a link that was made on another host or in another file. @param {string} hash */
  visit(hash) {
    this.frame.sentence.blur();
    const { state, notes } = parse(hash);
    this.set(this.completed({ ...state, theme: this.state.theme, language: this.state.language }, notes));
    this.notes = notes;
    this.draw();
  }

  /** @param {string} hash */
  read(hash) {
    if (languageHere() !== language) {
      location.reload(); // every module has its words already
      return;
    }
    const { state, notes } = parse(hash ?? "");
    if (!hash.includes("theme=")) state.theme = themes.remembered();
    this.state = this.completed(state, notes);
    this.notes = notes;
    this.draw();
  }

  /**
   * The state with a model and a sentence, where there are any: those of the first trace that fits.
   * @param {State} given
   * @param {string[]} notes
   */
  completed(given, notes) {
    const state = { ...given };
    const { traces, models } = this.document;
    const known = new Set([...models, ...traces.map((trace) => trace.model)].map((one) => one.id));
    if (state.model && known.size && !known.has(state.model)) {
      notes.push(words.noModel(state.model, [...known][0]));
      state.model = "";
    }
    if (!state.model) state.model = traces[0]?.model.id ?? models[0]?.id ?? "";
    if (!state.sentence) {
      const first = traces.find((trace) => trace.model.id === state.model && !trace.what_if) ?? null;
      if (first) Object.assign(state, wishOf(first));
    }
    return state;
  }

  /** Changes the state: the link, the history and the picture follow. @param {Changes} changes */
  set(changes) {
    const before = this.state;
    const unknown = Object.keys(changes).filter((name) => !isKey(name));
    if (unknown.length) throw new Error(`the state has no key ${unknown.join(", ")}`);
    const names = /** @type {(keyof State)[]} */ (Object.keys(changes)).filter(
      (name) => before[name] !== changes[name],
    );
    if (!names.length) return;
    this.state = { ...before, ...changes };
    this.remember(before);
    if (names.includes("language")) {
      location.reload();
      return;
    }
    const follows = this.view().follows ?? [];
    if (!this.notes.length && names.every((name) => follows.includes(name))) {
      for (const follower of this.followers) follower(this.state);
      markTerms(this.frame.main);
      this.frame.update(/** @type {any} */ (this.context));
      return;
    }
    this.notes = [];
    this.told = "";
    this.draw();
  }

  /** Says something that is of no consequence for the picture. @param {string} text */
  tell(text) {
    this.told = text;
    this.frame.update(/** @type {any} */ (this.context));
  }

  /** @param {State} before */
  remember(before) {
    try {
      const hash = format(this.state);
      if (isMove(before, this.state)) history.replaceState(null, "", hash);
      else history.pushState(null, "", hash);
    } catch {
      // A page inside a notebook's frame has no address of its own.
    }
  }

  view() {
    return views.find((one) => one.id === this.state.view) ?? views[0];
  }

  /** Draws everything. */
  draw() {
    const view = this.view();
    const { state } = this;
    const theme = this.printing ? themes.forPaper() : themes.apply(state.theme);
    showPresenting(state);
    showFramed(state);
    this.frame.widen(view.wide === true);
    let trace = this.traces.find(wish(state));
    trace = this.traces.want(state, trace ? view.needs(state, this.document, trace) : []);
    this.followers = [];
    this.drawn = true;
    this.drawnWidth = this.printing ? PAPER : this.frame.width();
    /** @param {Changes} changes */
    const changed = (changes) => ({ ...this.state, ...changes });
    /** @type {Context} */
    this.context = {
      document: this.document,
      trace: /** @type {Trace} */ (trace), // null only for a view that can be drawn without one
      theme,
      drawings: [],
      width: this.drawnWidth,
      served: asks(),
      get state() {
        return app.state;
      },
      /** @param {Changes} changes */
      set: (changes) => this.set(changes),
      /** @param {Changes} changes @param {string[]} [details] */
      want: (changes, details = []) => this.traces.want(changed(changes), details),
      waits: (changes = {}) => this.traces.waits(changed(changes)),
      failed: (changes = {}) => this.traces.failure(changed(changes)),
      /** @param {string} text */
      say: (text) => this.frame.say(text),
      /** @param {string} id @param {Changes} [changes] */
      go: (id, changes = {}) => this.set({ ...changes, view: id }),
      /** @param {string} id @param {Changes} [changes] */
      link: (id, changes = {}) => format({ ...this.state, ...changes, view: id }),
      /** @param {(state: State) => void} follower */
      follow: (follower) => this.followers.push(follower),
    };
    const app = this;
    document.title = words.pageTitle(view.title);
    refill(this.frame.main, () => {
      if (trace || view.bare) {
        this.guarded(view);
        markTerms(this.frame.main);
      } else this.frame.instead(this.frame.main, /** @type {any} */ (this.context));
    });
    this.frame.update(this.context);
    const waiting = this.traces.pending.size > 0;
    if (waiting) delete document.documentElement.dataset.ready;
    else {
      document.documentElement.dataset.ready = view.id;
      this.frame.progress(0);
      tellFrame(state);
    }
  }

  /** A view that fails must not take the page with it. @param {View} view */
  guarded(view) {
    try {
      view.render(this.frame.main, /** @type {any} */ (this.context));
    } catch (error) {
      console.error(error);
      this.frame.main.append(
        h("p", { class: "problem", role: "alert" }, words.viewNotDrawn(/** @type {Error} */ (error).message)),
      );
    }
  }
}
