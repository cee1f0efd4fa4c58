/**
 * Which trace a state asks for, and where it comes from: the document, the server, or the model inside the page.
 *
 * A trace holds what was asked for. A view that needs more names details ("block:dec.0.cross", "influence", "beam"
 * ...), and what arrives is added to the trace that is there.
 */
import { words } from "page/app/words";
import * as inPage from "page/trace/live";
import * as api from "page/trace/server";
import { written } from "page/trace/what-if";

/** @import { Problem } from "page/trace/server" */
/** @import { Context, PageDocument, State, Trace, Wish } from "page/types" */

/** @type {(keyof Wish)[]} */
const WISHES = ["model", "sentence", "force", "prefix", "size", "penalty", "whatif"];

/** What of a state decides about its trace. @param {Wish} state */
export function wish(state) {
  return /** @type {Wish} */ (Object.fromEntries(WISHES.map((name) => [name, state[name]])));
}

/** @param {Wish} wanted @param {string[]} details */
const keyOf = (wanted, details) => JSON.stringify([WISHES.map((name) => wanted[name]), [...details].sort()]);

/**
 * The wish a trace answers: what the page asked for, or else what the trace says of itself. A model spells a sentence
 * its own way, and a language model, which has no source, takes it for the beginning of what it writes.
 * @param {Trace} trace
 */
export function wishOf(trace) {
  if (trace.asked) return trace.asked;
  const { model, options, source_text: text, what_if: whatIf } = trace;
  const continues = model.task === "language-modelling" && text === "";
  return {
    model: model.id,
    sentence: (continues ? options.prefix : text) ?? "",
    force: options.force ?? "",
    prefix: (continues ? "" : options.prefix) ?? "",
    size: options.decode?.size ?? null,
    penalty: options.decode?.alpha ?? null,
    whatif: written(whatIf),
  };
}

/** @param {Trace} trace @param {Wish} wanted */
const answers = (trace, wanted) => {
  const given = wishOf(trace);
  return WISHES.every((name) => given[name] === wanted[name]);
};

/**
 * Whether a detail came with others: "all" is everything but matrices of parameters, which a block has too.
 * @param {string[]} had
 * @param {string} detail
 */
const holds = (had, detail) =>
  had.includes(detail) || (had.includes("all") && detail !== "parameters" && !detail.startsWith("block:"));

/**
 * Whether it is a list of parts that have names of their own: blocks, layers. (Tokens have numbers, and come again.)
 * @param {unknown} value
 */
const named = (value) => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one?.id === "string");

/**
 * Adds to a trace what a fuller trace of the same sentence has.
 * @param {Record<string, any>} into
 * @param {Record<string, any>} from
 */
export function merge(into, from) {
  for (const [name, value] of Object.entries(from)) {
    const old = into[name];
    if (name === "options" || name === "id") continue; // those of the first
    if (named(value) && named(old))
      into[name] = value.map((/** @type {any} */ one) =>
        merge(old.find((/** @type {string} */ other) => /** @type {any} */ (other).id === one.id) ?? {}, one),
      );
    else if (value && old && typeof value === "object" && typeof old === "object" && !Array.isArray(value))
      merge(old, value);
    else if (value !== null || old === undefined) into[name] = value;
  }
  return into;
}

/** Whether more can be asked for than the file holds. */
export const asks = () => api.served() || inPage.live();

/** The traces of a page: those it was given, and those it asked for. */
export class Traces {
  /**
   * @param {PageDocument} document
   * @param {() => void} changed  called when something has arrived or failed
   * @param {(written: number, share?: number) => void} progress  called while the model inside the page writes
   */
  constructor(document, changed, progress = () => {}) {
    this.document = document;
    this.changed = changed;
    this.progress = progress;
    /** @type {Map<string, {controller: AbortController, wanted: Wish, since: number}>} */
    this.pending = new Map();
    /** @type {Map<string, {error: Problem, wanted: Wish}>} */
    this.failures = new Map();
    /** @type {Set<string>} */
    this.asked = new Set();
  }

  /** The trace that answers a wish, or null. @param {Wish} wanted */
  find(wanted) {
    return this.document.traces.find((trace) => answers(trace, wanted)) ?? null;
  }

  /**
   * The trace a state asks for, with these details, if it is here; else null, and it is asked for. Called while
   * drawing, as often as one likes: nothing is asked for twice.
   * @param {State} state
   * @param {string[]} [details]
   */
  want(state, details = []) {
    const wanted = wish(state);
    const found = this.find(wanted);
    const lacking = found ? details.filter((detail) => !holds(found.options.detail ?? [], detail)) : details;
    if (found && !lacking.length) return found;
    const key = keyOf(wanted, lacking);
    if (asks() && wanted.sentence.trim() && !this.asked.has(key)) this.ask(key, wanted, lacking, found);
    return found;
  }

  /** @param {string} key @param {Wish} wanted @param {string[]} details @param {Trace | null} found */
  async ask(key, wanted, details, found) {
    this.asked.add(key);
    const controller = new AbortController();
    this.pending.set(key, { controller, wanted, since: performance.now() });
    try {
      const body = api.body(wanted, details);
      const trace = await (api.served()
        ? api.trace(body, controller.signal)
        : inPage.trace(body, controller.signal, this.progress));
      if (trace.schema !== "explore-trace/1")
        throw new api.Problem(words.problems.unreadable, words.problems.schema(trace.schema), words.problems.reload);
      const there = found ?? this.find(wanted); // it may have arrived meanwhile, asked for with other details
      if (there) {
        const had = there.options.detail ?? [];
        merge(there, trace);
        there.options.detail = [...new Set([...had, "weights", ...details])];
      } else {
        trace.options.detail = ["weights", ...details];
        if (wanted.whatif) trace.what_if = { ...trace.what_if, written: wanted.whatif };
        trace.asked = wanted; // the model's own spelling of a sentence may differ from the person's
        this.document.traces.push(trace);
      }
    } catch (error) {
      const problem = /** @type {Problem} */ (error);
      const said = problem.name === "AbortError" ? new api.Problem(words.problems.cancelled) : problem;
      this.failures.set(key, { error: said, wanted });
    }
    this.pending.delete(key);
    this.changed();
  }

  /** What went wrong with a wish, or null. @param {State} state */
  failure(state) {
    const wanted = JSON.stringify(wish(state));
    for (const failure of this.failures.values()) if (JSON.stringify(failure.wanted) === wanted) return failure.error;
    return null;
  }

  /** Whether a wish is being worked on. @param {State} state */
  waits(state) {
    const wanted = JSON.stringify(wish(state));
    return [...this.pending.values()].some((one) => JSON.stringify(one.wanted) === wanted);
  }

  /** Forgets failures, so that the same can be asked again. */
  retry() {
    for (const key of this.failures.keys()) this.asked.delete(key);
    this.failures.clear();
    this.changed();
  }

  /** Stops waiting. */
  cancel() {
    for (const { controller } of this.pending.values()) controller.abort();
  }
}

/**
 * The language that the chosen model reads; undefined where it is not known.
 * @param {Pick<Context, "state" | "document">} context
 */
export const sourceLanguage = ({ state, document: given }) =>
  [...given.models, ...given.traces.map((trace) => trace.model)].find((model) => model.id === state.model)
    ?.source_language;
