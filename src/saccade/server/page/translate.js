// The page of `saccade serve`: a text in, its translation out, and which word comes from which.

/** @typedef {{code: string, name: string, targets: string[]}} Language */
/** @typedef {{source: string, text: string, error?: string, sentences?: Translation[],
 *   source_words?: string[], target_words?: string[], alignment?: [number, number][]}} Translation */

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

const source = element("source", HTMLSelectElement);
const target = element("target", HTMLSelectElement);
const text = element("text", HTMLTextAreaElement);
const key = element("key", HTMLInputElement);
const output = element("output", HTMLElement);
const problem = element("problem", HTMLElement);
const section = element("alignment-section", HTMLElement);
const alignment = element("alignment", HTMLElement);

/** @type {Language[]} */
let languages = [];
let asked = 0; // an answer that a newer question has overtaken is not shown

/**
 * @param {string} path
 * @param {object} [body]
 */
async function ask(path, body) {
  /** @type {Record<string, string>} */
  const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
  const answer = await fetch(
    path,
    body && {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    },
  );
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `The server answers ${answer.status}.`);
  return found;
}

/** @param {unknown} error */
function show(error) {
  problem.textContent = error instanceof Error ? error.message : String(error);
  problem.hidden = false;
}

/**
 * @param {HTMLSelectElement} select
 * @param {string[]} codes
 */
function fill(select, codes) {
  const names = new Map(languages.map((language) => [language.code, language.name]));
  select.replaceChildren(...codes.map((code) => new Option(names.get(code) ?? code, code)));
}

function fillTargets() {
  fill(target, languages.find((language) => language.code === source.value)?.targets ?? []);
}

/**
 * The words of one side; those that a word of the other side is linked to are marked while it is pointed at.
 * @param {string[]} words
 * @returns {HTMLElement[]}
 */
function drawn(words) {
  return words.map((word) => {
    const span = document.createElement("span");
    span.className = "word";
    span.tabIndex = 0;
    span.textContent = word;
    return span;
  });
}

/** @param {Translation} found */
function pair(found) {
  const left = drawn(found.source_words ?? []);
  const right = drawn(found.target_words ?? []);
  /** @type {Map<HTMLElement, Set<HTMLElement>>} */
  const linked = new Map([...left, ...right].map((word) => [word, new Set([word])]));
  for (const [from, to] of found.alignment ?? []) {
    linked.get(left[from])?.add(right[to]);
    linked.get(right[to])?.add(left[from]);
  }
  for (const [word, others] of linked) {
    const mark = (/** @type {boolean} */ on) => {
      for (const other of others) other.classList.toggle("marked", on);
    };
    word.addEventListener("pointerenter", () => mark(true));
    word.addEventListener("pointerleave", () => mark(false));
    word.addEventListener("focus", () => mark(true));
    word.addEventListener("blur", () => mark(false));
  }
  const box = document.createElement("div");
  box.className = "pair";
  for (const words of [left, right]) {
    const line = document.createElement("p");
    line.append(...words.flatMap((word) => [word, " "]));
    box.append(line);
  }
  return box;
}

async function translate() {
  const question = ++asked;
  const pairOfLanguages = { source: source.value, target: target.value };
  problem.hidden = true;
  try {
    const [whole] = (await ask("v1/translate", { texts: [text.value], ...pairOfLanguages })).translations;
    if (question !== asked) return;
    output.textContent = whole.text;
    const sentences = (whole.sentences ?? [whole]).map((/** @type {Translation} */ one) => one.source);
    const options = { alignment: true, split_sentences: false, truncate: true };
    const aligned = await ask("v1/translate", { texts: sentences, ...options, ...pairOfLanguages });
    if (question !== asked) return;
    const drawable = aligned.translations.filter((/** @type {Translation} */ one) => one.alignment?.length);
    alignment.replaceChildren(...drawable.map(pair));
    section.hidden = drawable.length === 0;
  } catch (error) {
    if (question === asked) show(error);
  }
}

async function start() {
  const settings = await ask("frontend/settings");
  element("key-label", HTMLElement).hidden = !settings.keyRequired;
  text.maxLength = settings.charLimit;
  if (settings.explorer) {
    const link = element("explorer", HTMLAnchorElement);
    link.href = settings.explorer;
    link.hidden = false;
  }
  languages = await ask("languages");
  fill(
    source,
    languages.filter((language) => language.targets.length > 0).map((language) => language.code),
  );
  fillTargets();
}

source.addEventListener("change", fillTargets);
element("form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  translate();
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) translate();
});
start().catch(show);
