/** Las fórmulas de la vista «Pasos» tal como se leen en voz alta. */

/** @type {typeof import("page/words/en/steps-formulas").SPOKEN} */
export const SPOKEN = {
  embedding: (scaled, positions) =>
    `x i = E de w i${scaled ? " por raíz de d model" : ""}${positions ? " más P E de i" : ""}`,
  attention: (masked) =>
    `Attention de Q, K, V = softmax de Q K traspuesta entre raíz de d k${masked ? " más M" : ""}, por V`,
  context: (how, score) => `c i = la suma sobre j de ${how} de la puntuación ${score} de q i y k j, por v j`,
  heads: "MultiHead de Q, K, V = las cabezas una tras otra, por W O",
  wiring: (wiring) => `y = conexión ${wiring} de x y su subcapa`,
  relu: "el máximo de cero y",
  activation: (activation) => `${activation} de`,
  feedForward: (activated) => `F F N de x = ${activated} x W 1 más b 1, por W 2, más b 2`,
  memory: "m = codificador de x 1 a x n",
  output: (bias) => `P de y t = softmax de h t por W traspuesta${bias ? " más b" : ""}`,
};
