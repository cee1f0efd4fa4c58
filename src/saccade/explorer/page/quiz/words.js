/** What the quiz says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/quiz";
import * as en from "page/words/en/quiz";
import * as es from "page/words/es/quiz";

export const { FRAME, HAND_IN, IDEAS, LIVE } = inLanguage({ en, de, es });
