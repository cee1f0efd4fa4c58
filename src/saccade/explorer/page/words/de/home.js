/** Was die Ansicht „Start“ sagt. */

/** @type {typeof import("page/words/en/home").HOME} */
export const HOME = {
  heading: "Wie ein Satz durch das Modell reist",
  lead: "Jeder Kasten öffnet die Ansicht, die ihn zeigt. Drücke Abspielen, um die Übersetzung Wort für Wort zu schreiben.",
  strips:
    "Ein Streifen ist ein Vektor: Die Farben sind seine ersten acht Zahlen, blau unter und orange über null. Unten sind es " +
    "Embeddings, oben ist es das, was der Stapel daraus gemacht hat. Auf der Brücke ist ein Streifen so dunkel wie sein " +
    "Gewicht.",
  here: {
    words: "Der Satz in Wortstücken: Jedes ist eine Nummer im Vokabular.",
    embedding: "Jedes Wortstück wird ein Vektor: eine Zeile einer gelernten Tabelle.",
    position: "Der Platz jedes Wortstücks wird zu seinem Vektor addiert, sonst ginge die Reihenfolge verloren.",
    self: "Selbstaufmerksamkeit: Jeder Vektor schaut die anderen an und nimmt eine gewichtete Summe dessen, was sie bieten.",
    cross: "Kreuzaufmerksamkeit: Das Wort, das gerade geschrieben wird, schaut alle Wörter der Quelle an.",
    ffn: "Feed-forward: Jeder Vektor geht allein durch zwei Schichten.",
    recurrent: "Rekurrenz: Ein Vektor wird von Wortstück zu Wortstück weitergereicht.",
    convolution: "Faltung: Jeder Platz sieht seine Nachbarn durch ein Fenster.",
    norm: "Norm: Jeder Vektor wird auf Mittelwert 0 und Varianz 1 gebracht.",
    output:
      "Der letzte Vektor wird mit jedem Wortstück des Vokabulars verglichen: Softmax macht daraus Wahrscheinlichkeiten.",
  },
  drawing: "Das Modell als Karte",
  open: (label, view) => `${label}: ${view} öffnen`,
  play: "Abspielen",
  pause: "Anhalten",
  tour: "Rundgang in 60 Sekunden",
  skip: "Rundgang verlassen",
  back: "Zurück",
  next: "Weiter",
  done: "Fertig",
  place: (at, all) => `${at} von ${all}`,
  stops: [
    "Es beginnt mit deinem Satz, zerlegt in Wortstücke, die das Modell kennt.",
    "Jedes Wortstück wird ein Vektor: eine Liste gelernter Zahlen, die für es steht.",
    "Aufmerksamkeit kennt von sich aus keine Reihenfolge; darum wird der Platz jedes Wortstücks addiert.",
    "Selbstaufmerksamkeit: Jedes Wort bewertet alle Wörter, Softmax macht aus den Scores Gewichte, und es nimmt die gewichtete Summe.",
    "Dann verändert ein kleines Netz jeden Vektor für sich. Die Schichten wiederholen sich, jede auf dem, was die darunter geschrieben hat.",
    "Der Decoder schreibt ein Wortstück nach dem anderen. Er schaut auf das, was er schon geschrieben hat, und nie voraus.",
    "Die Kreuzaufmerksamkeit ist die Brücke: Um das nächste Wort zu schreiben, schaut er noch einmal auf die Quelle, dorthin, wo er es braucht.",
    "Ganz oben bekommt jedes Wortstück des Vokabulars eine Wahrscheinlichkeit. Eines wird geschrieben, wieder gelesen, und so weiter bis zum Ende.",
  ],
};
