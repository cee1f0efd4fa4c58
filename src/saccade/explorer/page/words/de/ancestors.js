/** Was die Ansicht „Vorläufer“ sagt. Die Karten der Papers stehen in `page/words/de/papers`. */
import { thousands } from "page/numbers/thousands";

/** @param {number} number @param {string} one @param {string} many */
const count = (number, one, many) => `${thousands(number)} ${number === 1 ? one : many}`;
/** @param {number} number */
const steps = (number) => count(number, "Schritt", "Schritte");
/** @param {number} number */
const layers = (number) => count(number, "Schicht", "Schichten");
/** @param {number} number */
const places = (number) => count(number, "Platz", "Plätze");
/** @param {number} number */
const numbers = (number) => count(number, "Zahl", "Zahlen");

/** @type {typeof import("page/words/en/ancestors").WORDS} */
export const WORDS = {
  partsLabel: "Teile dieser Ansicht",
  parts: { models: "Nebeneinander", papers: "Die Papers", words: "Ein Wort ändern" },
  lede:
    "Derselbe Satz durch jedes gegebene Modell, das älteste zuerst. Lies eine Zeile von links nach rechts, um zu sehen, was " +
    "eine Idee geändert hat.",
  own: "eigene Übersetzung",
  forced: "dieselbe Übersetzung für alle",
  whichTranslation: "Jedes Modell liest",
  forcedNote: (name) =>
    `Alle Modelle müssen schreiben, was ${name} geschrieben hat, damit die Zeilen der Bilder dasselbe Wort meinen.`,
  ownNote:
    "Jedes Modell schreibt, was es am besten findet. Die Zeilen der Bilder unterscheiden sich, wo es die Übersetzungen tun.",
  one: "Hier ist nur ein Modell. Gib mehrere an, und jedes bekommt eine Spalte: saccade explore MODEL MORE …",
  tasks: {
    translation: "übersetzt",
    pronunciation: "schreibt, wie Wörter ausgesprochen werden",
    "language-modelling": "setzt einen Text fort",
    classification: "nennt eine Klasse",
    parsing: "schreibt einen Syntaxbaum",
  },
  otherTask: (does) =>
    `Dieses Modell hat eine andere Aufgabe: Es ${does}. Seine Zahlen lassen sich nicht mit den anderen vergleichen.`,
  otherLanguages: (pair) => `Dieses Modell arbeitet von ${pair}: Der Satz sagt ihm vielleicht nichts.`,
  traced:
    "Im Voraus berechnet: ein kleines Modell, das weniger als eine Stunde gelernt hat. Seine Fehler sagen wenig " +
    "über seine Idee.",
  tracedHere: (name, year) => `${name} (${year}) kann für diese Sätze daneben stehen, im Voraus berechnet:`,
  noSentence: "Schreibe oben einen Satz, um ihn durch die Modelle zu schicken.",
  waiting: "unterwegs …",
  missing: "In dieser Datei ist das nicht enthalten.",
  missingHow: (sentence) => `saccade explore MODELS --sentence ${JSON.stringify(sentence)} --export page.html`,
  notHere: "Systeme, die nicht hier sind",
  notHereLede: "Jedes davon lässt sich mit einem Befehl trainieren; nenne dann die Ordner zusammen.",

  rows: {
    translation: "Übersetzung",
    memory: "Was der Encoder dem Decoder übergibt",
    alignment: "Wohin jedes Wort geschaut hat",
    path: "Der Weg zwischen zwei Wörtern",
    waiting: "Was warten muss",
    influence: "Welche Quellwörter gezählt haben",
    gates: "Was die Einheiten behalten haben",
    cost: "Größe dieser Aufzeichnung",
  },
  leads: {
    memory:
      "Jedes kleine Quadrat ist eine Zahl, bei allen Modellen gleich groß gezeichnet: Die Fläche ist das, was der Decoder von " +
      "der Quelle wissen kann.",
    alignment: "Alle Bilder haben dieselbe Skala von 0 bis 1. Zeilen sind Zielwörter, Spalten Quellwörter.",
    influence:
      "Auf zwei Arten gemessen, ohne der Aufmerksamkeit zu trauen: wie stark sich die Ausgabe mit einem Wort bewegen würde " +
      "(Gradient), und was verloren geht, wenn das Wort ersetzt wird (Verdeckung).",
    gates:
      "Wie weit jedes Gate des Encoders bei jedem Wort offen war: das Mittel über alle Einheiten, von 0 (zu) bis 1 (offen).",
    waiting:
      "Schichten, die nicht beginnen können, bevor andere fertig sind, eine nach der anderen. Weniger ist schneller auf einem " +
      "Rechner, der vieles zugleich tun kann.",
  },

  probable: (p) => `nach diesem Modell zu ${p} wahrscheinlich`,
  logprob: (total, each, tokens) =>
    `log p = ${total}; ${each} für jedes von ${count(tokens, "Wortstück", "Wortstücken")}`,
  list: (rows, size, total) =>
    `Eine Liste: ${count(rows, "Zustand", "Zustände")} zu ${numbers(size)}, ` +
    `${total > rows * size ? `daneben noch ${numbers(total - rows * size)}, ` : ""}` +
    `insgesamt ${numbers(total)}. Ein längerer Satz gibt eine längere Liste.`,
  vector: (total) => `Ein Vektor von ${numbers(total)}, wie lang der Satz auch ist.`,
  several: (parts, total) =>
    `${count(parts, "Vektor", "Vektoren")}, insgesamt ${numbers(total)}, wie lang der Satz auch ist.`,
  perWord: (each, words) => `${each} Zahlen für jedes von ${count(words, "Wortstück", "Wortstücken")} der Quelle.`,
  stays: "Der Decoder darf es bei jedem Wort noch einmal lesen.",
  once: "Der Decoder bekommt es einmal, vor seinem ersten Wort, und muss es behalten.",
  noMemory: "Dieses Modell hat keine Quelle: Nichts wird übergeben.",
  limit: (value) => `kräftigste Farbe: ±${value}`,

  noAttention:
    "Dieses Modell schaut nicht. Was es von der Quelle weiß, steckt schon in seinem Zustand; darum gibt es kein Bild von " +
    "Gewichten. An seiner Stelle steht, was jedes Quellwort jedem Zielwort wert ist, gemessen durch Wegnehmen.",
  noAttentionNothing:
    "Dieses Modell schaut nicht; darum gibt es kein Bild von Gewichten. Die Zeilen unten sagen trotzdem, welche Wörter " +
    "gezählt haben.",
  alignmentTitle: (name) => `${name}: Zielwort → Quellwort`,
  measuredTitle: {
    occlusion: (name) => `${name}: was ohne ein Wort verloren geht`,
    gradient: (name) => `${name}: wie sich die Ausgabe mit einem Wort bewegt`,
  },
  axes: {
    writes: "schreibt",
    looks: "schaut auf",
    moves: "bewegt sich mit",
    without: "ohne",
    measure: "Maß",
    source: "Quellwort",
    sentence: "Satz",
  },
  show: "Zeigen",
  measures: { attention: "Aufmerksamkeit", occlusion: "was ohne ein Wort verloren geht", gradient: "Gradient" },
  measureNotes: {
    attention: "Wie viel von jedem Blick auf jedes Quellwort fällt.",
    occlusion:
      "Der Anteil der Wahrscheinlichkeit eines Zielwortes, der verloren geht, wenn ein Quellwort unbekannt wird, eins nach dem " +
      "anderen. Aufmerksamkeit spielt dabei keine Rolle; darum haben es auch Modelle, die nicht schauen.",
    gradient:
      "Der Anteil jedes Quellwortes daran, wie stark sich die Log-Wahrscheinlichkeit eines Zielwortes mit den Quellvektoren " +
      "bewegen würde.",
  },
  notOne: "Zeilen müssen nicht 1 ergeben: Ein Fenster wird zu seinen Rändern hin schwächer.",
  sharp: (bits, most) => `mittlere Entropie ${bits} Bit von höchstens ${most}`,

  inside: "innerhalb der Quelle",
  across: "von der Quelle zum Ziel",
  pathMode: "Weg",
  from: "von",
  to: "bis",
  target: "zum Zielwort",
  hops: (number) => count(number, "Sprung", "Sprünge"),
  noWay: "kein Weg",
  otherWords: "Dieses Modell zerlegt den Satz in andere Wörter und hat kein solches Wort.",
  sameWord: "Wähle zwei verschiedene Wörter.",
  rules: {
    steps: (hops) =>
      `Rekurrenz rückt einen Platz nach dem anderen vor: Die Wörter liegen in der Lesereihenfolge ${steps(hops)} ` +
      "auseinander, und ein Zustand trägt das erste den ganzen Weg bis zum zweiten.",
    both: (distance, hops) =>
      `Zwei Ketten, eine von jedem Ende: Die Wortstücke liegen ${places(distance)} auseinander, und die Zustände treffen sich ` +
      `in der Mitte; das macht ${steps(hops)}.`,
    windows: (distance, kernels, hops) =>
      `Fenster von ${kernels} Plätzen: Jede Schicht lässt einen Zustand von mehr Nachbarn hören. Nötig: ${layers(hops)}, ` +
      `bis einer von beiden gehört hat (Abstand: ${places(distance)}).`,
    windowsNever: (distance, seen, all) =>
      `Fenster: Nach allen Schichten (${layers(all)}) hat ein Zustand von ${thousands(seen)} Plätzen nebeneinander gehört, ` +
      `aber die Wörter liegen ${distance} auseinander. Im Encoder begegnen sie sich nie; nur der Decoder sieht beide.`,
    looks: () => "Aufmerksamkeit: ein Blick, wie groß der Abstand auch ist.",
    tape: () =>
      "Ein Blick zurück auf das Band, wie groß der Abstand auch ist. Das spätere Wort schaut auf das frühere.",
    restricted: (distance, reach, hops) =>
      `Aufmerksamkeit innerhalb von ${thousands(reach)} Plätzen nach jeder Seite: Für ${places(distance)} braucht es ` +
      `${count(hops, "Blick", "Blicke")}.`,
    crossLooks: () => "Der Zustand über dem Quellwort wird direkt angesehen: ein Blick.",
    crossWindow: (hops) =>
      `Das Wort liegt außerhalb des Fensters dieses Schritts und kommt darum durch benachbarte Zustände: ` +
      `${count(hops, "Sprung", "Sprünge")}.`,
    crossVector: (read, carried) =>
      `${steps(read)} bis zum Ende des Encoders, einer zur Übergabe, ${steps(carried)} entlang des Decoders.`,
    crossVectorAlways: (read) => `${steps(read)} bis zum Ende des Encoders, dann ist der Vektor bei jedem Wort da.`,
    crossFold: (levels) =>
      `Fenster falten die Quelle zusammen (${layers(levels)}); das Ergebnis ist bei jedem Wort da.`,
    crossPlaces: (levels, carried) =>
      `${layers(levels)} von Fenstern falten die Quelle zusammen und wieder auseinander, zu einem Vektor für jeden Platz, ` +
      `durch Zählen gefunden und nicht durch Schauen; ${carried ? `von dort ${steps(carried)} entlang des Decoders` : "das Wort ist diesem nah genug"}.`,
    never: "Kein Zustand des Decoders kann bei diesem Wort von dem Quellwort wissen.",
  },
  pathLabel: (name, hops) => `Der Weg zwischen den gewählten Wörtern in ${name}: ${hops}.`,

  waitingRows: { reading: "die Quelle lesen", training: "am Ziel trainieren", writing: "das Ziel schreiben" },
  waitingNote: (source, target) => `n = ${source} Wortstücke der Quelle, m = ${target} Wortstücke des Ziels.`,
  chains: {
    steps: (length, layers) => (layers === 1 ? `${length}` : `${length} + ${layers} − 1`),
    feeds: (length, layers) => `${length} × ${layers}`,
    once: () => "alle Plätze auf einmal",
  },

  gateNames: { update: "erneuern", reset: "zurücksetzen", input: "aufnehmen", forget: "behalten", output: "zeigen" },
  gatesTitle: (backwards) => (backwards ? "von rechts nach links gelesen" : "von links nach rechts gelesen"),
  noGates: "Rekurrente Einheiten ohne Gates: Jedes Wort schreibt den ganzen Zustand neu.",
  noRecurrence: "Keine Rekurrenz im Encoder, also keine Gates: Nichts wird von Wort zu Wort getragen.",

  gradient: "Gradient",
  occlusion: "Verdeckung",
  influenceTitle: (name) => `${name}: Anteil jedes Quellwortes`,
  influenceOf: "für das Zielwort",
  all: "alle Zielwörter (Mittel)",
  influenceEntropy: (all, gradient, occlusion, most) =>
    `Entropie${all ? " eines Zielwortes, im Mittel" : ""}: Gradient ${gradient}, Verdeckung ${occlusion}; alle gleich wären ` +
    `${most} Bit.`,
  noInfluence: "Nicht in dieser Datei; exportiere es mit --detail influence.",

  pieces: (source, target) =>
    `${count(source, "Wortstück", "Wortstücke")} der Quelle, ${count(target, "Wortstück", "Wortstücke")} des Ziels`,
  parameters: (number) => `${thousands(number)} Parameter`,
  seconds: (value) => `${value} s für die Aufzeichnung`,

  timeline: "Papers von 2013 bis 2017",
  timelineLede: "Elf Papers in fünf Jahren. Wähle eines.",
  here: "hier",
  problem: "Das Problem",
  idea: "Die Idee",
  equation: "In Formeln",
  against: (name) => (name ? `Neu gegenüber ${name}` : "Was neu ist"),
  story: "Wie es dazu kam",
  inPackage: "In diesem Paket",
  isShown: "Ein Modell davon ist hier, neben den anderen.",
  trainIt: "Trainiere eines: ",
  noArchitecture: "Kein eigenes Modell: Es ist die Verdrahtung um jede Teilschicht des Transformers.",
  noPapers: "Diese Datei führt keine Papers auf.",
  differences: "Bahdanau und Luong, Punkt für Punkt",
  differencesLede: "Zwei Papers eines Jahres gaben der Aufmerksamkeit ihre beiden üblichen Formen.",
  measuredEntropy: "wie breit gestreut es diesen Satz anschaut (mittlere Entropie)",
  measuredBest: "größtes Gewicht einer Zeile (Mittel)",

  compare: {
    title: "Ändere ein Wort und sieh, wer anderswohin schaut",
    model: (name, others) => `Das ist ${name}.${others ? " Ein anderes Modell lässt sich oben wählen." : ""}`,
    lede:
      "Ein Modell, zwei Sätze. Gewichte werden für jeden Satz neu berechnet: Ändere ein Wort, und Wörter, die sich nicht " +
      "geändert haben, schauen vielleicht anderswohin.",
    other: "Der andere Satz",
    show: "Vergleichen",
    presets: "Paare zum Ausprobieren",
    inFile: "Andere Sätze in dieser Datei",
    missingHow: (first, second) =>
      `saccade explore MODEL --sentence ${JSON.stringify(first)} --sentence ${JSON.stringify(second)} --export page.html`,
    word: "Wie dieses Wort schaut",
    choose: "Wort",
    noBlocks:
      "Dieses Modell hat keine Aufmerksamkeit innerhalb der Quelle. Die Tabelle unten vergleicht die Vektoren, die es aus den " +
      "Wörtern macht.",
    kind: "Im Encoder",
    moved: (share) => `${share} seiner Aufmerksamkeit gingen anderswohin.`,
    movedBy: "Welcher Kopf sich am meisten bewegt hat",
    layerHead: (layer, head) => `Schicht ${layer}, Kopf ${head}`,
    meanHead: (layer) => `Schicht ${layer}, Mittel der Köpfe`,
    translations: "Übersetzungen",
    first: "erster Satz",
    second: "zweiter Satz",
    vectors: "Wie sehr sich der Vektor jedes gemeinsamen Wortes geändert hat",
    vectorsLede:
      "Kosinus zwischen den Zuständen des Encoders für dasselbe Wort in den beiden Sätzen: 1 heißt keine Änderung. Eine bloße " +
      "Tabelle von Wortvektoren ergäbe überall 1.",
    mostMoved: "ging anderswohin",
    before: "erster",
    after: "zweiter",
    strongest: "schaut am meisten auf",
    none: "Die beiden Sätze haben kein Wort gemeinsam.",
    empty: "Schreibe einen anderen Satz, oder wähle ein Paar.",
  },
};
