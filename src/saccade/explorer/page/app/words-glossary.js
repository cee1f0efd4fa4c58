/** What the terms of the field mean, in the language of the page. */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/glossary";
import * as en from "page/words/en/glossary";
import * as es from "page/words/es/glossary";

export const { DEFINITIONS, GLOSSARY } = inLanguage({ en, de, es });
