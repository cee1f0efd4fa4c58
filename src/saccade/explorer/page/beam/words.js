/** What the view Beam says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/beam";
import * as en from "page/words/en/beam";
import * as es from "page/words/es/beam";

export const { beam } = inLanguage({ en, de, es });
