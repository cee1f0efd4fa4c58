/** Die Architekturen in wenigen Worten. */

/** @type {typeof import("page/words/en/architectures").SUMMARIES} */
export const SUMMARIES = {
  ngram: "gezählte Wortfolgen, geglättet",
  "neural-probabilistic": "Wörter als Vektoren, und eine Schicht über die letzten paar",
  "rnn-language-model": "ein Vektor trägt alles, was gelesen wurde",
  rctm: "eine gefaltete Quelle, ein rekurrentes Ziel",
  "rnn-encoder-decoder": "rekurrente Netze mit Gates und einem Vektor dazwischen",
  seq2seq: "zwei tiefe LSTMs, die Quelle umgekehrt",
  "memory-network": "mehrere Blicke auf die letzten Wörter, einer nach dem anderen",
  rnnsearch: "ein Decoder, der vor jedem Wort auf die Quelle schaut",
  luong: "zwei tiefe LSTMs mit Aufmerksamkeit, global oder lokal",
  lstmn: "LSTMs, die alles lesen, was sie geschrieben haben, und die Quelle",
  "lstmn-language-model": "ein LSTM, das alles liest, was es geschrieben hat",
  convs2s: "Faltungen mit Gates, Aufmerksamkeit in jeder Schicht",
  "key-value-predict": "ein LSTM, das auf seine letzten Ausgaben zurückschaut",
  "self-attentive": "ein Satz als mehrere Blicke auf ihn",
  transformer: "nur Aufmerksamkeit, in beiden Stapeln",
  "transformer-classifier": "der Encoder des Transformers, und das Mittel seiner Zustände",
  "transformer-language-model": "der Decoder des Transformers allein",
  "state-language-model": "eine Liste, ein Vektor, oder Gewichte, die beim Lesen lernen",
};
