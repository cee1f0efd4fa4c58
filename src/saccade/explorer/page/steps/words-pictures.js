/** The names of the pictures of the view Steps, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps-pictures";
import * as en from "page/words/en/steps-pictures";
import * as es from "page/words/es/steps-pictures";

export const { PICTURES, TABLES } = inLanguage({ en, de, es });
