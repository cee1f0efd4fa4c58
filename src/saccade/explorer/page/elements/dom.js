/**
 * Elements without templates: text is always text, so that no token of a model can become markup.
 *
 *   h("button", { class: "quiet", onclick: () => ... }, "Translate")
 *   h("svg:rect", { x: 1, y: 2 })          h("math:mfrac", {}, ...)
 */

/** @import { Attributes, Child, ElementOf } from "page/types" */

/** Where the focus was. @typedef {{focus: string} | {steps: number[], tag: string}} FocusPath */

const SPACES = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };

/**
 * Makes an element. Functions named `on...` listen; `style` and `dataset` are objects; false, null and undefined leave
 * an attribute out and true writes it empty; children may be nodes, strings, numbers, arrays, or nothing.
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<Tag>}
 */
export function h(tag, attributes = {}, ...children) {
  const [space, name] = tag.includes(":") ? tag.split(":") : ["", tag];
  const element = /** @type {any} */ (
    space
      ? document.createElementNS(SPACES[/** @type {keyof typeof SPACES} */ (space)], name)
      : document.createElement(name)
  );
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on") && typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "style")
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    else if (key === "dataset") Object.assign(element.dataset, value);
    else if (key === "value" && !space) element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  // A select knows its value only once it has its options.
  if (name === "select" && attributes?.value !== undefined && attributes.value !== null)
    element.value = attributes.value;
  return element;
}

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(/** @type {Element | string} */ (child));
  }
}

/**
 * A token or a sentence: in its own direction, whatever stands around it.
 * @param {string} text
 * @param {Attributes} [attributes]
 */
export function word(text, attributes = {}) {
  return h("bdi", { dir: "auto", ...attributes }, text);
}

/** Text that only a screen reader says. @param {string} text */
export function unseen(text) {
  return h("span", { class: "unseen" }, text);
}

/**
 * Puts new children into a root and gives the focus back to the element at the same place, if it is of the same kind;
 * what was scrolled or unfolded stays so.
 * @param {Element} root
 * @param {() => void} fill
 */
export function refill(root, fill) {
  const focused = document.activeElement;
  const path = focused instanceof HTMLElement && root.contains(focused) ? pathTo(root, focused) : null;
  const boxes = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-scroll]")]);
  const scrolls = boxes.map(({ dataset, scrollLeft, scrollTop }) => ({ name: dataset.scroll, scrollLeft, scrollTop }));
  const unfolded = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("details[data-fold][open]")]);
  const folds = unfolded.map(({ dataset }) => dataset.fold ?? "");
  root.replaceChildren();
  fill();
  for (const name of folds) root.querySelector(`details[data-fold="${CSS.escape(name)}"]`)?.setAttribute("open", "");
  for (const { name = "", scrollLeft, scrollTop } of scrolls) {
    const box = root.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
    if (box) Object.assign(box, { scrollLeft, scrollTop });
  }
  const again = path && follow(root, path);
  if (again) /** @type {HTMLElement} */ (again).focus({ preventScroll: true });
}

/** @param {Element} root @param {HTMLElement} element @returns {FocusPath} */
function pathTo(root, element) {
  if (element.dataset.focus) return { focus: element.dataset.focus };
  const steps = [];
  for (let at = /** @type {Element} */ (element); at !== root && at.parentElement; at = at.parentElement)
    steps.unshift([...at.parentElement.children].indexOf(at));
  return { steps, tag: element.tagName };
}

/** @param {Element} root @param {FocusPath} path */
function follow(root, path) {
  if ("focus" in path) return root.querySelector(`[data-focus="${CSS.escape(path.focus)}"]`);
  let at = root;
  for (const step of path.steps) {
    at = at.children[step];
    if (!at) return null;
  }
  return at.tagName === path.tag ? at : null;
}
