/** Las fichas de los artículos de la vista «Antecesores», por la clave del artículo, y dos de ellos punto por punto. */

/** @type {typeof import("page/words/en/papers").CARD_WORDS} */
export const CARD_WORDS = {
  kalchbrenner2013: {
    name: "RCTM",
    problem:
      "Se traducía con tablas de frases hechas y tablas de alineamientos, construidas por separado y pegadas. Ninguna parte " +
      "veía una frase entera.",
    idea:
      "Dos redes entrenadas como una: unas ventanas se deslizan por el origen y lo pliegan, y una red recurrente escribe el " +
      "destino. En su primera forma el origen acaba en un solo vector; en la segunda, en un vector por palabra de destino, " +
      "hallado por la posición.",
    letters:
      "s: el estado del decodificador. e(y): el vector de la última palabra. f: lo que las ventanas hicieron del origen, lo " +
      "mismo para todo i o uno para cada i.",
  },
  cho2014: {
    name: "codificador-decodificador RNN",
    problem: "Un estado recurrente simple se reescribe entero con cada palabra, así que el comienzo se pierde pronto.",
    idea:
      "Dos puertas, ambas aprendidas. Una dice cuánto queda del estado anterior; la otra, cuánto de él puede ver la nueva " +
      "propuesta. Un codificador hecho de tales unidades acaba en un vector; el decodificador oye ese vector en cada palabra.",
    letters:
      "z: conservar. r: mirar atrás. ⊙: número por número. Las dos puertas están entre 0 y 1 y dependen de la palabra y del estado.",
    against: "El origen se lee palabra por palabra, no por ventanas, y el estado puede decidir conservar.",
  },
  sutskever2014: {
    name: "de secuencia a secuencia",
    problem: "Las redes ayudaban a las tablas de frases a elegir. ¿Podría una traducir sin tabla alguna?",
    idea:
      "Dos pilas de capas LSTM. Los últimos estados del codificador son los primeros del decodificador, y nada más cruza. El " +
      "origen se lee desde el final, para que las primeras palabras de ambos lados estén cerca cuando empieza el aprendizaje.",
    letters:
      "f, i, o: puertas para olvidar, incorporar y mostrar. c: lo que guarda una celda. s: el estado del decodificador.",
    against:
      "Más profunda, sola, y el origen se entrega una vez: el decodificador tiene que recordarlo mientras escribe.",
  },
  bahdanau2015: {
    name: "RNNsearch",
    problem:
      "Un vector de tamaño fijo tiene que contener una frase de cualquier tamaño. Cuanto más larga la frase, peor la traducción.",
    idea:
      "Conserva todos los estados del codificador, hacia delante y hacia atrás. Antes de cada palabra, el decodificador compara " +
      "su estado con todos ellos y toma una media ponderada. Lo que antes calculaban aparte los alineadores se aprende ahora " +
      "sobre la marcha.",
    letters:
      "s: el estado anterior del decodificador. h: los estados del codificador. α: pesos sobre el origen, que suman 1. c: lo " +
      "que se lee.",
    against: "Una lista en vez de un vector: lo que se entrega crece con la frase.",
    story:
      "Primero hubo la idea de dos cursores, uno en cada frase, que avanzaran a la vez; se abandonó. Después se hizo que el " +
      "decodificador mirara por la diagonal, al lugar i del origen para la palabra i: funcionaba donde el orden coincide. " +
      "Dejarle aprender adónde mirar, con cada lugar un poco permitido, funcionó en todas partes y se podía entrenar por " +
      "gradiente.",
  },
  luong2015: {
    name: "Luong",
    problem:
      "La puntuación aditiva es cara, un origen largo es mucho que mirar, y un decodificador que no sabe adónde ha mirado " +
      "puede traducir una palabra dos veces.",
    idea:
      "Pregunta con el estado después de leer la última palabra. Puntúa con un producto. Mira todo el origen, o solo una " +
      "ventana alrededor de un lugar contado o predicho. Da lo recién leído al paso siguiente.",
    letters:
      "h_t: el decodificador ahora. h_s: el codificador en el lugar s. p: dónde se predice el centro de la ventana, entre S lugares.",
    against: "La misma lista, una pregunta más barata y la opción de cuánto mirar de la lista.",
  },
  he2015: {
    name: "conexiones residuales",
    problem:
      "A partir de cierta profundidad, añadir capas empeoraba las redes, incluso en aquello con lo que se entrenaban.",
    idea:
      "Que una capa calcule una corrección y la sume a lo que recibió. Una capa que no tiene nada que decir no suma nada, y el " +
      "gradiente tiene un camino que rodea cada capa. Se hizo para imágenes, pero nada en ella trata de imágenes.",
    letters: "x: lo que entra. F: la capa.",
    against: "No es un traductor, sino un cable. Toda pila profunda posterior tiene uno alrededor de cada capa.",
  },
  cheng2016: {
    name: "LSTMN",
    problem:
      "La memoria del propio codificador sigue siendo un vector: dentro de una frase el pasado se comprime como antes el origen.",
    idea:
      "Conserva todos los estados pasados en una cinta. En cada palabra, atiende primero a la cinta y actualiza después con lo " +
      "encontrado. Una secuencia que se atiende a sí misma.",
    letters: "h, c: las dos cintas. x: la palabra de ahora. Lo encontrado ocupa el lugar del estado anterior.",
    against: "La misma mirada, pero dentro de una frase. Los pasos todavía se esperan unos a otros.",
  },
  daniluk2017: {
    name: "clave, valor, predicción",
    problem:
      "Cuando un modelo de lenguaje mira atrás a sus propias salidas, cada una tiene tres tareas: ser hallada, ser leída y " +
      "predecir.",
    idea:
      "Corta la salida en tres partes, una por tarea. Además resultó que un modelo así apenas mira más atrás de unas pocas " +
      "palabras.",
    letters:
      "k: claves, se comparan. v: valores, se leen. p: predice la palabra siguiente. K, V: los de las últimas palabras.",
    against: "Lo que se compara y lo que se toma son dos vectores: los nombres clave y valor llegan para quedarse.",
  },
  lin2017: {
    name: "autoatención estructurada",
    problem: "Una frase dice varias cosas. Una media ponderada de sus estados conserva una de ellas.",
    idea:
      "Haz varias preguntas aprendidas a la vez, para que una frase se convierta en una pequeña matriz, y penaliza al modelo " +
      "cuando dos preguntas miran a las mismas palabras.",
    letters: "H: los estados de una frase. A: una fila de pesos por pregunta. P: la penalización por mirar igual.",
    against: "Varias miradas en paralelo sobre los mismos estados: cabezas, antes de que se llamaran así.",
  },
  gehring2017: {
    name: "ConvS2S",
    problem: "Una red recurrente calcula una palabra tras otra, cuando la máquina podría con todas a la vez.",
    idea:
      "Sin recurrencia. Ventanas sobre palabras y posiciones aprendidas, con puertas, apiladas hasta ver lejos; y una mirada al " +
      "origen en cada capa del decodificador, para que cada una pueda volver a preguntar.",
    letters:
      "A, B: mitades de lo que da una ventana. z: las salidas del codificador, se comparan. e: las palabras con sus posiciones, " +
      "se suman al leer.",
    against:
      "Todos los lugares de una frase conocida a la vez. Las palabras lejanas solo se encuentran tras varias capas.",
  },
  vaswani2017: {
    name: "Transformer",
    problem:
      "Con ventanas, el camino entre dos palabras crece con su distancia; con recurrencia, también crece el tiempo.",
    idea:
      "Solo atención. Cada lugar mira a todos los demás, en varias cabezas en paralelo; en cada lugar sigue una pequeña red, y " +
      "unas ondas sumadas a las palabras dicen dónde están.",
    letters:
      "Q: lo que pregunta cada lugar. K: por lo que se le encuentra. V: lo que da. d_k: la longitud de una pregunta.",
    against:
      "Un salto entre dos palabras cualesquiera, y ningún paso espera a la palabra anterior. El precio: se comparan todas las parejas.",
  },
};

/** @type {typeof import("page/words/en/papers").DIFFERENCES} */
export const DIFFERENCES = [
  ["qué estado pregunta", "el anterior: mirar y luego avanzar", "el actual: avanzar y luego mirar"],
  [
    "adónde va lo leído",
    "a la recurrencia, con la última palabra",
    "junto al estado, por una capa tanh hacia la salida",
  ],
  [
    "puntuación",
    "aditiva: una pequeña red con una capa oculta",
    "un producto: dot o general; también concat y location",
  ],
  [
    "codificador",
    "una capa de unidades con puertas, hacia delante y hacia atrás, se conservan ambas",
    "una pila de capas LSTM, en una dirección; se conservan los estados de arriba",
  ],
  ["cuánto se mira", "todo (global)", "todo, o una ventana alrededor de un lugar contado o predicho"],
  [
    "¿sabe adónde miró?",
    "por su estado, ya que lo leído es una entrada",
    "porque el estado con lo leído entra en el paso siguiente",
  ],
  ["salida", "capa maxout sobre estado, palabra y contexto", "softmax sobre el estado con lo leído"],
];
