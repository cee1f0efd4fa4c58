/** What the view Steps says, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/steps";
import * as en from "page/words/en/steps";
import * as es from "page/words/es/steps";

export const { FURTHER, IN_WORDS, INTRODUCTION, MISSING, PLAIN, SAY, SCORE_SENTENCE, STEPS, TITLE, UNKNOWN_SCORE } =
  inLanguage({
    en,
    de,
    es,
  });
