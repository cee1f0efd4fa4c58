/** Wie die Bilder und Tabellen der Ansicht „Schritte“ heißen. */

/** @type {typeof import("page/words/en/steps-pictures").PICTURES} */
export const PICTURES = {
  token: "Vektoren der Wortstücke",
  row: "Zeilen der Tabelle",
  position: "Vektoren der Plätze",
  sum: "ihre Summe",
  input: "was hereinkommt",
  memory: "was der Encoder geschrieben hat",
  carried: "alles, was der Decoder bekommt",
  w_q: "W_Q dieses Kopfes",
  w_k: "W_K dieses Kopfes",
  w_v: "W_V dieses Kopfes",
  q: "Anfragen",
  k: "Schlüssel",
  v: "Werte",
  q_hidden: "Anfragen nach ihrer Matrix",
  k_hidden: "Schlüssel nach ihrer Matrix",
  scores: "Scores",
  scaled: "Scores ÷ √d_k",
  mask: "wer wen sehen darf",
  masked: "Scores, die übrig bleiben",
  weights: "Gewichte",
  head_out: "was dieser Kopf schreibt",
  concat: "alle Köpfe nebeneinander",
  w_o: "W_O",
  out: "was die Aufmerksamkeit schreibt",
  resid_in: "was hereinkam",
  resid_sum: "die Summe",
  norm_out: "normiert",
  hidden: "innere Einheiten nach dem Schnitt bei null",
  ffn_out: "was das Netz schreibt",
  states: "letzte Zustände",
  rows: "Vektoren der wahrscheinlichsten Wortstücke",
};

/** @type {typeof import("page/words/en/steps-pictures").TABLES} */
export const TABLES = {
  pieces: {
    source: "der Satz, der gelesen wird",
    reads: "was der Decoder liest, ein Wortstück je Decodierschritt",
  },
  key: "Schlüssel",
  scaled: (f) => (f.scale === 1 ? "Score" : f.dotted ? "Score ÷ √d_k" : "Score × Faktor"),
  shifted: "minus den größten",
  power: "e hoch dies",
  weight: "Gewicht",
  sum: "Summe",
  others: (count) => `${count} andere`,
  covered: (count) => `${count} verdeckt`,
  blank: "leerer Platz",
  rowOf: (query) => `Wohin „${query}“ schaut`,
  piece: "Wortstück",
  logit: "Logit",
  probability: "Wahrscheinlichkeit",
  candidates: (written) =>
    written ? `Die fünf wahrscheinlichsten; „${written}“ wurde geschrieben` : "Die fünf wahrscheinlichsten",
};
