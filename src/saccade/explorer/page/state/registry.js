/**
 * All keys of the state, declared by the views that own them.
 *
 * A link writes a state as
 *
 *   #/heat?s=The%20cat%20sat&m=base&kind=cross&l=5&h=3&q=2&k=4
 *
 * A state is flat and its values are plain. A value that equals its default is left out of the link. A key that is not
 * declared is ignored; a value that cannot be read is replaced by the default, and said in a note.
 */
import { words } from "page/app/words";

/** @import { Key } from "page/state/key-types" */

/** A state of any keys. @typedef {Record<string, any> & {view: string}} AnyState */

export class Registry {
  /** @param {readonly string[]} views  the first is the one shown by default */
  constructor(views) {
    this.views = views;
    /** @type {Map<string, Key<any>>} */
    this.keys = new Map();
    /** @type {Map<string, string>} */
    this.names = new Map();
  }

  /** Adds the keys of one owner. A name or a letter that is taken is refused. @param {Record<string, Key<any>>} keys */
  declare(keys) {
    for (const [name, key] of Object.entries(keys)) {
      if (this.keys.has(name) || name === "view") throw new Error(`the state has two keys called “${name}”`);
      const other = this.names.get(key.link);
      if (other) throw new Error(`“${key.link}” in a link would be both ${other} and ${name}`);
      this.keys.set(name, key);
      this.names.set(key.link, name);
    }
  }

  /** The state before anything is chosen. @returns {AnyState} */
  defaults() {
    return { view: this.views[0], ...Object.fromEntries([...this.keys].map(([name, { start }]) => [name, start])) };
  }

  /** The link to a state. @param {AnyState} state */
  format(state) {
    const parts = [...this.keys]
      .filter(([name, { start }]) => state[name] !== start)
      .map(([name, { link, format }]) => `${link}=${encodeURIComponent(format(state[name]))}`);
    return `#/${state.view}${parts.length ? `?${parts.join("&")}` : ""}`;
  }

  /**
   * The state a link names, and a note for every part of it that could not be read.
   * @param {string} hash
   * @returns {{state: AnyState, notes: string[]}}
   */
  parse(hash) {
    const state = this.defaults();
    const notes = [];
    const [path, query] = cut(hash.replace(/^#?\/?/, ""), "?");
    if (this.views.includes(path)) state.view = path;
    else if (path) notes.push(words.noView(path, state.view));
    for (const part of query.split("&")) {
      const [link, written] = cut(part, "=");
      const name = this.names.get(link);
      const key = name === undefined ? undefined : this.keys.get(name);
      if (name === undefined || key === undefined) continue;
      const value = decoded(written);
      const read = value === undefined ? undefined : key.parse(value);
      if (read !== undefined) state[name] = read;
      else notes.push(words.unreadable(`${link}=${written}`, name, shown(key.start)));
    }
    return { state, notes };
  }

  /**
   * Whether one state differs from the other by the place of its cursor only.
   * @param {AnyState} before
   * @param {AnyState} after
   */
  isMove(before, after) {
    return (
      before.view === after.view && [...this.keys].every(([name, { cursor }]) => cursor || before[name] === after[name])
    );
  }
}

/**
 * A text before and after a mark.
 * @param {string} text
 * @param {string} mark
 * @returns {[string, string]}
 */
function cut(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} written */
function decoded(written) {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined; // half a character
  }
}

/** @param {unknown} value */
const shown = (value) => (value === null ? words.notChosen : value === "" ? words.emptyText : `“${value}”`);
