/**
 * What the program says, in the language of the page.
 *
 * The server and the models inside a page speak English. Their sentences stand in words/en/program as forms with places,
 * and under the same names in the other languages: a sentence of one of these forms is said again with what stood in its
 * places. Any other stays as it is.
 */
import { language } from "page/language/language";
import * as de from "page/words/de/program";
import * as en from "page/words/en/program";
import * as es from "page/words/es/program";

/** @import { Language } from "page/language/language" */

const SPOKEN = { en, de, es };
const PLACE = /\{(\w+)\}/g;
/** Places that hold the English name of a language. */
const LANGUAGES = ["found", "source", "target"];

/** @param {string} form */
const readable = (form) =>
  new RegExp(`^${form.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(PLACE, "(?<$1>.+?)")}$`, "s");

/** @type {[keyof typeof en.PROGRAM, RegExp][]} */
const FORMS = /** @type {(keyof typeof en.PROGRAM)[]} */ (Object.keys(en.PROGRAM)).map((name) => [
  name,
  readable(en.PROGRAM[name]),
]);

/**
 * A sentence of the program in a language; null where the sentence is of no known form.
 * @param {string} sentence
 * @param {Language} [wanted]
 */
export function saidIn(sentence, wanted = language) {
  if (wanted === "en") return sentence;
  for (const [name, form] of FORMS) {
    const places = form.exec(sentence);
    if (!places) continue;
    const { PROGRAM } = SPOKEN[wanted];
    return PROGRAM[name].replace(PLACE, (_, place) => {
      const held = places.groups?.[place] ?? "";
      if (name === "faults") return faultsIn(held, wanted);
      return name === "otherLanguage" && LANGUAGES.includes(place) ? languageIn(held, wanted) : held;
    });
  }
  return null;
}

/** A sentence of the program in the language of the page, or as it is. @param {string} sentence */
export const inPageLanguage = (sentence) => saidIn(sentence) ?? sentence;

/** @param {string} faults  "number missing (7), too short (…)" @param {Language} wanted */
function faultsIn(faults, wanted) {
  const names = /** @type {(keyof typeof en.FAULTS)[]} */ (Object.keys(en.FAULTS));
  return names.reduce(
    (text, name) => text.replaceAll(`${en.FAULTS[name]} (`, `${SPOKEN[wanted].FAULTS[name]} (`),
    faults,
  );
}

/** The name of a language in another; as it is where the browser does not know it. @param {string} name @param {Language} wanted */
function languageIn(name, wanted) {
  const english = new Intl.DisplayNames("en", { type: "language" });
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const code = letters.flatMap((a) => letters.map((b) => a + b)).find((one) => english.of(one) === name);
  return (code && new Intl.DisplayNames(wanted, { type: "language" }).of(code)) ?? name;
}
