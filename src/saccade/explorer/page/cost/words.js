/** What the view Cost says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/cost";
import * as en from "page/words/en/cost";
import * as es from "page/words/es/cost";

export const { COST } = inLanguage({ en, de, es });
