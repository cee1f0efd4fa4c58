/** The small controls views are steered with: groups of choices, selects, switches. Each writes the state. */
import { h } from "page/elements/dom";

/**
 * @typedef {object} SliderOptions
 * @property {number} min
 * @property {number} max
 * @property {number} [step]
 * @property {number} value
 * @property {string} [shown]
 * @property {(value: number) => void} onchange
 */

/**
 * A row of buttons of which one is pressed.
 * @param {string} label
 * @param {{value: any, name: string, title?: string, disabled?: boolean}[]} choices
 * @param {unknown} value
 * @param {(value: any) => void} onchange
 */
export function segmented(label, choices, value, onchange) {
  return h(
    "div",
    { class: "segmented", role: "group", "aria-label": label },
    choices.map((choice) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(choice.value === value),
          title: choice.title,
          disabled: choice.disabled,
          dataset: { focus: `${label}-${choice.value}` },
          onclick: () => onchange(choice.value),
        },
        choice.name,
      ),
    ),
  );
}

/**
 * A labelled drop-down list.
 * @param {{value: any, name: string}[]} choices
 * @param {string} label
 * @param {unknown} value
 * @param {(value: any) => void} onchange
 * @param {{seen?: boolean}} [given]
 */
export function select(label, choices, value, onchange, { seen = true } = {}) {
  const list = h(
    "select",
    {
      "aria-label": label,
      dataset: { focus: `select-${label}` },
      onchange: (event) => onchange(choices[event.target.selectedIndex].value),
    },
    choices.map((choice) => h("option", { selected: choice.value === value }, choice.name)),
  );
  return seen ? h("label", { class: "field" }, h("span", {}, label), list) : list;
}

/**
 * A labelled switch.
 * @param {string} label
 * @param {boolean} value
 * @param {(value: boolean) => void} onchange
 * @param {string | null} [title]
 */
export function toggle(label, value, onchange, title = null) {
  return h(
    "label",
    { class: "toggle", title },
    h("input", {
      type: "checkbox",
      checked: value,
      dataset: { focus: `toggle-${label}` },
      onchange: (event) => onchange(event.target.checked),
    }),
    h("span", {}, label),
  );
}

/**
 * A labelled slider.
 * @param {string} label
 * @param {SliderOptions} given
 */
export function slider(label, { min, max, step = 1, value, shown, onchange }) {
  const output = h("output", {}, shown ?? String(value));
  const input = h("input", {
    type: "range",
    min,
    max,
    step,
    value,
    "aria-label": label,
    "aria-valuetext": shown ?? null,
    dataset: { focus: `slider-${label}` },
    oninput: (event) => onchange(Number(event.target.value)),
  });
  return h("label", { class: "slider" }, h("span", {}, label), input, output);
}
