/** What the panel beside the view says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/inspector";
import * as en from "page/words/en/inspector";
import * as es from "page/words/es/inspector";

export const { INSPECTOR } = inLanguage({ en, de, es });
