/** What the view Heat says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/heat";
import * as en from "page/words/en/heat";
import * as es from "page/words/es/heat";

export const { HEAT } = inLanguage({ en, de, es });
