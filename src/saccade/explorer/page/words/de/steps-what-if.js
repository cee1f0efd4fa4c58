/** Die Annahmen der Ansicht „Schritte“. */
import { digits } from "page/numbers/numbers";

/** @type {typeof import("page/words/en/steps-what-if").SUPPOSE} */
export const SUPPOSE = {
  changedModel: "Du siehst das veränderte Modell.",
  backToOriginal: "Neben dem ursprünglichen zeigen",
  title: "Was wäre, wenn …?",
  nothing: "wie es ist",
  here: "Nur in diesem Kopf",
  hereNote: "In dieser Seite aus den gespeicherten Scores dieses Kopfes berechnet. Alles darunter bleibt, wie es war.",
  whole: "Im ganzen Modell",
  wholeNote: "Das Modell lief noch einmal mit dieser Änderung in jeder Schicht und suchte seine Übersetzung neu.",
  wholeMask:
    "Die fertige Übersetzung wurde noch einmal gelesen, ohne dass etwas verdeckt war, sodass jedes Wort die Wörter danach " +
    "sieht. Eine Suche kann das nicht: Während sie schreibt, ist voraus nichts zu sehen. Darum bleiben die Wörter; Gewichte " +
    "und Wahrscheinlichkeiten ändern sich.",
  wholeHead: "Das Modell lief noch einmal ohne diesen einen Kopf und suchte seine Übersetzung neu.",
  before: "wie es ist",
  after: "verändert",
  original: "Übersetzung",
  changed: "Veränderte Übersetzung",
  silent: "Der Kopf schaut noch dorthin, wohin er schaute; was er schreibt, ist null.",
  logprob: "Log-Wahrscheinlichkeit aller Wortstücke",
  same: "Die Übersetzung bleibt dieselbe.",
  waiting: "Das Modell läuft mit dieser Änderung …",
  absent: (model) =>
    `Diese Datei enthält keinen Lauf des ganzen Modells mit dieser Änderung. Starte saccade explore ${model} und wähle sie dort.`,
  onlyHere:
    "Das ganze Modell kann mit einer solchen Änderung laufen, wo seine Aufmerksamkeit skalierte Skalarprodukt-Aufmerksamkeit " +
    "ist; hier ist sie eine andere.",
  failed: "Das Modell konnte mit dieser Änderung nicht laufen.",
  bits: "Streuung der Zeile, in Bit",
  places: "so breit wie so viele gleiche Plätze",
  largest: "größtes Gewicht der Zeile",
  slope: "am meisten, was ein Score ein Gewicht noch bewegen kann",
  temperature: "Temperatur",
  follow: "Das veränderte Modell in allen Ansichten zeigen",
  rowOf: (name) => `Die Zeile von „${name}“`,
  contribution: (share, head) =>
    `Kopf ${head} schreibt ${digits(100 * share, 1)} % der Länge dessen, was die Aufmerksamkeit an diesem Platz addiert.`,
  notHere: "Die Scores dieses Kopfes sind nicht hier; darum lassen sich die veränderten Gewichte nicht berechnen.",
  notComputed:
    "Das ändert, was der Kopf liest; darum lässt es sich aus den Scores dieses Kopfes nicht berechnen: Nur das ganze Modell " +
    "kann es sagen.",
};

/** @type {typeof import("page/words/en/steps-what-if").OFFERS} */
export const OFFERS = {
  "no-positions": "keine Positionen addiert werden",
  "shuffled-positions": "die Positionen gemischt werden",
  "score:cosine": "Scores Kosinus sind",
  "no-scale": "nichts durch √d_k geteilt wird",
  "no-mask": "nichts verdeckt wird",
  temperature: "Softmax heißer oder kälter ist",
  "head-off": "dieser Kopf abgeschaltet ist",
};
