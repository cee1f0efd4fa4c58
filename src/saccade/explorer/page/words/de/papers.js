/** Die Karten der Papers in der Ansicht „Vorläufer“, nach dem Schlüssel des Papers, und zwei davon Punkt für Punkt. */

/** @type {typeof import("page/words/en/papers").CARD_WORDS} */
export const CARD_WORDS = {
  kalchbrenner2013: {
    name: "RCTM",
    problem:
      "Übersetzt wurde mit Tabellen von Phrasen und Tabellen von Zuordnungen, getrennt gemacht und zusammengeklebt. Kein Teil " +
      "sah einen ganzen Satz.",
    idea:
      "Zwei Netze, als eines trainiert: Fenster gleiten über die Quelle und falten sie zusammen, und ein rekurrentes Netz " +
      "schreibt das Ziel. In der ersten Form endet die Quelle als ein Vektor, in der zweiten als ein Vektor für jedes " +
      "Zielwort, nach der Position gefunden.",
    letters:
      "s: der Zustand des Decoders. e(y): der Vektor des letzten Wortes. f: was die Fenster aus der Quelle gemacht haben, " +
      "dasselbe für jedes i oder eines für jedes.",
  },
  cho2014: {
    name: "RNN-Encoder-Decoder",
    problem:
      "Ein einfacher rekurrenter Zustand wird bei jedem Wort ganz überschrieben; darum ist der Anfang bald verschwunden.",
    idea:
      "Zwei Gates, beide gelernt. Das eine sagt, wie viel vom alten Zustand bleibt, das andere, wie viel davon der neue " +
      "Vorschlag sehen darf. Ein Encoder aus solchen Einheiten endet in einem Vektor; der Decoder hört diesen Vektor bei " +
      "jedem Wort.",
    letters:
      "z: behalten. r: zurückschauen. ⊙: Zahl für Zahl. Beide Gates liegen zwischen 0 und 1 und hängen von Wort und Zustand ab.",
    against:
      "Die Quelle wird Wort für Wort gelesen, nicht durch Fenster, und der Zustand kann beschließen, zu behalten.",
  },
  sutskever2014: {
    name: "Sequence to Sequence",
    problem: "Netze halfen Phrasentabellen beim Auswählen. Könnte eines ganz ohne Tabelle übersetzen?",
    idea:
      "Zwei Stapel von LSTM-Schichten. Die letzten Zustände des Encoders sind die ersten des Decoders, und sonst geht nichts " +
      "hinüber. Die Quelle wird von hinten gelesen, sodass die ersten Wörter beider Seiten nahe beieinander stehen, wenn das " +
      "Lernen beginnt.",
    letters: "f, i, o: Gates zum Vergessen, Aufnehmen und Zeigen. c: was eine Zelle hält. s: der Zustand des Decoders.",
    against:
      "Tiefer, allein, und die Quelle wird einmal übergeben: Der Decoder muss sie behalten, während er schreibt.",
  },
  bahdanau2015: {
    name: "RNNsearch",
    problem:
      "Ein Vektor fester Größe muss einen Satz beliebiger Größe fassen. Je länger der Satz, desto schlechter die Übersetzung.",
    idea:
      "Behalte jeden Zustand des Encoders, vorwärts und rückwärts. Vor jedem Wort vergleicht der Decoder seinen Zustand mit " +
      "ihnen allen und nimmt ein gewichtetes Mittel. Was früher ein eigenes Programm zuordnete, wird jetzt nebenbei gelernt.",
    letters:
      "s: der vorige Zustand des Decoders. h: die Zustände des Encoders. α: Gewichte über die Quelle, Summe 1. c: was gelesen " +
      "wird.",
    against: "Eine Liste statt eines Vektors: Was übergeben wird, wächst mit dem Satz.",
    story:
      "Zuerst gab es die Idee zweier Zeiger, einer in jedem Satz, die miteinander vorrücken; sie wurde aufgegeben. Dann sollte " +
      "der Decoder entlang der Diagonale schauen, für Wort i auf Platz i der Quelle: Das ging, wo die Reihenfolge " +
      "übereinstimmt. Ihn lernen zu lassen, wohin er schaut, mit jedem Platz ein wenig erlaubt, ging überall und ließ sich " +
      "mit Gradienten trainieren.",
  },
  luong2015: {
    name: "Luong",
    problem:
      "Der additive Score ist teuer, eine lange Quelle ist viel anzuschauen, und ein Decoder, der nicht weiß, wohin er " +
      "geschaut hat, übersetzt ein Wort vielleicht zweimal.",
    idea:
      "Frage mit dem Zustand, nachdem er das letzte Wort gelesen hat. Bewerte mit einem Produkt. Schau auf die ganze Quelle " +
      "oder nur in ein Fenster um einen Platz, der abgezählt oder vorhergesagt wird. Gib das eben Gelesene dem nächsten " +
      "Schritt mit.",
    letters:
      "h_t: der Decoder jetzt. h_s: der Encoder am Platz s. p: wo die Mitte des Fensters vorhergesagt wird, unter S Plätzen.",
    against: "Dieselbe Liste, eine billigere Frage, und die Wahl, wie viel der Liste angeschaut wird.",
  },
  he2015: {
    name: "Residualverbindungen",
    problem:
      "Ab einer gewissen Tiefe machten weitere Schichten Netze schlechter, sogar auf dem, womit sie trainiert wurden.",
    idea:
      "Lass eine Schicht eine Korrektur berechnen und addiere sie zu dem, was hineinging. Eine Schicht, die nichts zu sagen " +
      "hat, addiert nichts, und der Gradient hat einen Weg an jeder Schicht vorbei. Für Bilder gemacht, aber nichts daran " +
      "handelt von Bildern.",
    letters: "x: was hineingeht. F: die Schicht.",
    against: "Kein Übersetzer, sondern ein Draht. Jeder tiefe Stapel danach hat einen um jede Schicht.",
  },
  cheng2016: {
    name: "LSTMN",
    problem:
      "Das Gedächtnis des Encoders selbst ist noch immer ein Vektor: Innerhalb des Satzes wird die Vergangenheit so " +
      "zusammengedrückt wie früher die Quelle.",
    idea:
      "Behalte alle vergangenen Zustände auf einem Band. Schau bei jedem Wort zuerst auf das Band, dann aktualisiere mit dem, " +
      "was gefunden wurde. Eine Folge, die auf sich selbst achtet.",
    letters: "h, c: die beiden Bänder. x: das Wort jetzt. Das Gefundene tritt an die Stelle des vorigen Zustands.",
    against: "Derselbe Blick, aber innerhalb eines Satzes. Die Schritte warten noch aufeinander.",
  },
  daniluk2017: {
    name: "Key, Value, Predict",
    problem:
      "Wenn ein Sprachmodell auf seine eigenen Ausgaben zurückschaut, hat jede drei Aufgaben: gefunden werden, gelesen " +
      "werden und vorhersagen.",
    idea:
      "Zerlege die Ausgabe in drei Teile, einen für jede Aufgabe. Es zeigte sich auch, dass ein solches Modell kaum weiter " +
      "zurückschaut als ein paar Wörter.",
    letters:
      "k: Schlüssel, verglichen. v: Werte, gelesen. p: sagt das nächste Wort vorher. K, V: die der letzten paar Wörter.",
    against:
      "Was verglichen und was genommen wird, sind zwei Vektoren: Die Namen Schlüssel und Wert kommen, um zu bleiben.",
  },
  lin2017: {
    name: "strukturierte Selbstaufmerksamkeit",
    problem: "Ein Satz sagt mehreres. Ein gewichtetes Mittel seiner Zustände behält eines davon.",
    idea:
      "Stelle mehrere gelernte Fragen auf einmal, sodass aus einem Satz eine kleine Matrix wird, und bestrafe das Modell, wenn " +
      "zwei Fragen auf dieselben Wörter schauen.",
    letters:
      "H: die Zustände eines Satzes. A: eine Zeile von Gewichten für jede Frage. P: die Strafe für gleiche Blicke.",
    against: "Mehrere Blicke nebeneinander über dieselben Zustände: Köpfe, bevor sie so hießen.",
  },
  gehring2017: {
    name: "ConvS2S",
    problem: "Ein rekurrentes Netz berechnet ein Wort nach dem anderen, während der Rechner alle auf einmal könnte.",
    idea:
      "Keine Rekurrenz. Fenster über Wörter und gelernte Positionen, mit Gates, gestapelt, bis sie weit sehen; und ein Blick " +
      "auf die Quelle in jeder Schicht des Decoders, sodass jede noch einmal fragen darf.",
    letters:
      "A, B: Hälften dessen, was ein Fenster ergibt. z: die Ausgaben des Encoders, verglichen. e: die Wörter mit ihren " +
      "Positionen, beim Lesen addiert.",
    against: "Alle Plätze eines bekannten Satzes auf einmal. Ferne Wörter begegnen sich erst nach mehreren Schichten.",
  },
  vaswani2017: {
    name: "Transformer",
    problem: "Mit Fenstern wächst der Weg zwischen zwei Wörtern mit ihrem Abstand; mit Rekurrenz wächst auch die Zeit.",
    idea:
      "Nur Aufmerksamkeit. Jeder Platz schaut auf jeden anderen, in mehreren Köpfen nebeneinander; an jedem Platz folgt ein " +
      "kleines Netz, und Wellen, zu den Wörtern addiert, sagen, wo sie stehen.",
    letters: "Q: was jeder Platz fragt. K: woran er gefunden wird. V: was er hergibt. d_k: wie lang eine Frage ist.",
    against:
      "Ein Sprung zwischen je zwei Wörtern, und kein Schritt wartet auf das Wort davor. Der Preis: Jedes Paar wird verglichen.",
  },
};

/** @type {typeof import("page/words/en/papers").DIFFERENCES} */
export const DIFFERENCES = [
  ["welcher Zustand fragt", "der vorige: schauen, dann gehen", "der jetzige: gehen, dann schauen"],
  [
    "wohin das Gelesene geht",
    "in die Rekurrenz, mit dem letzten Wort",
    "neben den Zustand, durch eine tanh-Schicht zur Ausgabe",
  ],
  [
    "Score",
    "additiv: ein kleines Netz mit einer verborgenen Schicht",
    "ein Produkt: dot oder general; auch concat und location",
  ],
  [
    "Encoder",
    "eine Schicht von Einheiten mit Gates, vorwärts und rückwärts, beide behalten",
    "ein Stapel von LSTM-Schichten, eine Richtung; die obersten Zustände werden behalten",
  ],
  [
    "wie viel angeschaut wird",
    "alles (global)",
    "alles, oder ein Fenster um einen abgezählten oder vorhergesagten Platz",
  ],
  [
    "weiß es, wohin es geschaut hat?",
    "durch seinen Zustand, denn das Gelesene ist eine Eingabe",
    "indem der Zustand mit dem Gelesenen in den nächsten Schritt eingeht",
  ],
  ["Ausgabe", "Maxout-Schicht über Zustand, Wort und Kontext", "Softmax über den Zustand mit dem Gelesenen"],
];
