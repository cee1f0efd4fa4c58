/** Las arquitecturas en pocas palabras. */

/** @type {typeof import("page/words/en/architectures").SUMMARIES} */
export const SUMMARIES = {
  ngram: "cuentas de secuencias de palabras, suavizadas",
  "neural-probabilistic": "palabras como vectores, y una capa sobre las últimas",
  "rnn-language-model": "un vector lleva todo lo leído",
  rctm: "un origen con convoluciones, un destino recurrente",
  "rnn-encoder-decoder": "redes recurrentes con puertas y un vector entre ellas",
  seq2seq: "dos LSTM profundas, con el origen invertido",
  "memory-network": "varias miradas a las últimas palabras, una tras otra",
  rnnsearch: "un decodificador que mira el origen antes de cada palabra",
  luong: "dos LSTM profundas con atención, global o local",
  lstmn: "LSTM que leen todo lo que han escrito, y el origen",
  "lstmn-language-model": "una LSTM que lee todo lo que ha escrito",
  convs2s: "convoluciones con puertas, atención en cada capa",
  "key-value-predict": "una LSTM que mira atrás a sus últimas salidas",
  "self-attentive": "una frase como varias miradas a ella",
  transformer: "solo atención, en las dos pilas",
  "transformer-classifier": "el codificador del Transformer, y la media de sus estados",
  "transformer-language-model": "el decodificador del Transformer solo",
  "state-language-model": "una lista, un vector, o pesos que aprenden al leer",
};
