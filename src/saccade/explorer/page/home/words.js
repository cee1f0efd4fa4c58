/** What the view Home says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/home";
import * as en from "page/words/en/home";
import * as es from "page/words/es/home";

export const { HOME } = inLanguage({ en, de, es });
