/** The names of large numbers, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/magnitudes";
import * as en from "page/words/en/magnitudes";
import * as es from "page/words/es/magnitudes";

export const { MAGNITUDES } = inLanguage({ en, de, es });
