/** Light and dark: the system's choice unless the person has made one. */

/** @import { State } from "page/types" */

const NAME = "saccade-theme";
const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

/** @param {"system" | "light" | "dark"} choice  "system", "light" or "dark" @returns {"light" | "dark"} */
export function resolved(choice) {
  return choice === "system" ? (system?.matches ? "dark" : "light") : choice;
}

/**
 * Writes the theme on the page and remembers a choice, where the browser lets a page remember.
 * @param {State["theme"]} choice
 */
export function apply(choice) {
  document.documentElement.dataset.theme = resolved(choice);
  try {
    if (choice === "system") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, choice);
  } catch {
    // A page from a file or in a frame may have no storage: then the choice lasts as long as the page.
  }
  return resolved(choice);
}

/** Paper is light, whatever was chosen for the screen. @returns {"light"} */
export function forPaper() {
  document.documentElement.dataset.theme = "light";
  return "light";
}

/** The remembered choice. */
export function remembered() {
  try {
    const found = localStorage.getItem(NAME);
    return found === "light" || found === "dark" ? found : "system";
  } catch {
    return "system";
  }
}

/** Calls back when the system changes its mind. @param {() => void} callback */
export function onSystemChange(callback) {
  system?.addEventListener("change", callback);
}
