/**
 * The one state of the page: everything a person has chosen, and so everything a link holds.
 *
 * Each view declares the keys that only it reads in its own `keys`; page/state/shared-keys has the others. To add a
 * key, add one line there.
 */
import { views } from "page/app/views";
import { Registry } from "page/state/registry";
import { keys as shared } from "page/state/shared-keys";

/** @import { Values } from "page/state/key-types" */

/**
 * @typedef {{view: string}
 *   & Values<typeof import("page/state/shared-keys").keys>
 *   & Values<typeof import("page/ancestors/keys").keys>
 *   & Values<typeof import("page/beam/keys").keys>
 *   & Values<typeof import("page/cost/keys").keys>
 *   & Values<typeof import("page/heads/keys").keys>
 *   & Values<typeof import("page/heat/keys").keys>
 *   & Values<typeof import("page/model/keys").keys>
 *   & Values<typeof import("page/position/keys").keys>
 *   & Values<typeof import("page/quiz/keys").keys>
 *   & Values<typeof import("page/steps/keys").keys>
 *   & Values<typeof import("page/train/keys").keys>} State
 */

const registry = new Registry(views.map(({ id }) => id));
registry.declare(shared);
for (const { keys } of views) if (keys) registry.declare(keys);

/** Whether the state has a key of this name. @param {string} name */
export const isKey = (name) => name === "view" || registry.keys.has(name);

/** The state before anything is chosen. */
export const defaults = () => /** @type {State} */ (registry.defaults());

/** The link to a state. @param {State} state */
export const format = (state) => registry.format(state);

/** The state a link names, and a note for every part of it that could not be read. @param {string} hash */
export const parse = (hash) => /** @type {{state: State, notes: string[]}} */ (registry.parse(hash));

/**
 * Whether going from one state to the other is no entry in the browser's history.
 * @param {State} before
 * @param {State} after
 */
export const isMove = (before, after) => registry.isMove(before, after);
