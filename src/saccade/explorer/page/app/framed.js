/** A view as a figure in a text: it stands alone, and tells the text around it how high it is. */

/** @import { State } from "page/types" */

/** @type {ResizeObserver | null} */
let watching = null;

/** Writes on the page whether it is a figure, for the style sheet. @param {Readonly<State>} state */
export const showFramed = ({ framed }) => document.documentElement.toggleAttribute("data-framed", framed);

/**
 * Says how high the page is, now that its view is drawn, and whenever that changes. Anybody may know it.
 * @param {Readonly<State>} state
 */
export function tellFrame({ framed, view }) {
  if (!framed || parent === window) return;
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  const tell = () => parent.postMessage({ figure: view, height: Math.ceil(app.getBoundingClientRect().height) }, "*");
  tell(); // what is not in sight yet is not observed
  watching?.disconnect();
  watching = new ResizeObserver(tell);
  watching.observe(app);
}
