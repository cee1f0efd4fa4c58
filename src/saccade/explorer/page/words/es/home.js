/** Lo que dice la vista «Inicio». */

/** @type {typeof import("page/words/en/home").HOME} */
export const HOME = {
  heading: "Cómo viaja una frase por el modelo",
  lead: "Cada caja abre la vista que la muestra. Pulsa Reproducir para escribir la traducción palabra por palabra.",
  strips:
    "Una tira es un vector: los colores son sus ocho primeros números, azul por debajo de cero y naranja por encima. Abajo " +
    "son embeddings; arriba, lo que la pila de capas ha hecho de ellos. En el puente, una tira es tan oscura como su peso.",
  here: {
    words: "La frase en fragmentos: cada uno es un número del vocabulario.",
    embedding: "Cada fragmento se convierte en un vector: una fila de una tabla aprendida.",
    position: "El lugar de cada fragmento se suma a su vector; si no, se perdería el orden.",
    self: "Autoatención: cada vector mira a los demás y toma una suma ponderada de lo que ofrecen.",
    cross: "Atención cruzada: la palabra que se está escribiendo mira a todas las palabras de origen.",
    ffn: "Red feed-forward: cada vector pasa solo por dos capas.",
    recurrent: "Recurrencia: un vector pasa de fragmento en fragmento.",
    convolution: "Convolución: cada lugar ve a sus vecinos a través de una ventana.",
    norm: "Norma: cada vector vuelve a media 0 y varianza 1.",
    output: "El último vector se compara con cada fragmento del vocabulario: softmax da las probabilidades.",
  },
  drawing: "El modelo como un mapa",
  open: (label, view) => `${label}: abrir ${view}`,
  play: "Reproducir",
  pause: "Pausa",
  tour: "Recorrido de 60 segundos",
  skip: "Dejar el recorrido",
  back: "Atrás",
  next: "Siguiente",
  done: "Listo",
  place: (at, all) => `${at} de ${all}`,
  stops: [
    "Empieza con tu frase, cortada en fragmentos que el modelo conoce.",
    "Cada fragmento se convierte en un vector: una lista de números aprendidos que lo representa.",
    "La atención por sí misma no conoce el orden; por eso se suma el lugar de cada fragmento.",
    "Autoatención: cada palabra puntúa a todas, softmax convierte las puntuaciones en pesos, y toma la suma ponderada.",
    "Después una pequeña red cambia cada vector por separado. Las capas se repiten, cada una sobre lo que ha escrito la de abajo.",
    "El decodificador escribe un fragmento cada vez. Mira lo que lleva escrito, y nunca hacia delante.",
    "La atención cruzada es el puente: para escribir la palabra siguiente vuelve a mirar el origen, allí donde hace falta.",
    "Arriba del todo, cada fragmento del vocabulario recibe una probabilidad. Se escribe uno, se vuelve a leer, y así hasta el final.",
  ],
};
