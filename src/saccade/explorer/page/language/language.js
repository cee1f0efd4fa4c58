/**
 * The language of the page: the one its address asks for with `lang=de`, else the first of the browser's languages that
 * the page speaks, else English. It is known before any module asks for its words; another one loads the page again.
 */

/** @typedef {"en" | "de" | "es"} Language */

/** Every language of the page, by its own name. @type {Record<Language, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" };

/** @param {string | undefined} code @returns {code is Language} */
const spoken = (code) => code !== undefined && Object.hasOwn(LANGUAGES, code);

/** The language that an address asks for, where the page speaks it. @param {string} address */
export function languageAsked(address) {
  const code = /[?&]lang=([a-z]+)/.exec(address)?.[1];
  return spoken(code) ? code : null;
}

/**
 * The language for an address and the languages of a browser, the one it likes best first.
 * @param {string} address
 * @param {readonly string[]} liked
 * @returns {Language}
 */
export function languageFor(address, liked) {
  return languageAsked(address) ?? liked.map((one) => one.slice(0, 2).toLowerCase()).find(spoken) ?? "en";
}

/** The language for the address as it is now. A worker has no readers, and in node, where tests run, it is English. */
export const languageHere = () =>
  globalThis.document ? languageFor(location.hash + location.search, navigator.languages) : "en";

/** The language of the page. */
export const language = languageHere();

/**
 * The words in the language of the page.
 * @template Words
 * @param {{en: Words, de: NoInfer<Words>, es: NoInfer<Words>}} all
 */
export const inLanguage = (all) => all[language];
