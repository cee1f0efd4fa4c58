/** What the view Model says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/model";
import * as en from "page/words/en/model";
import * as es from "page/words/es/model";

export const { MODEL } = inLanguage({ en, de, es });
