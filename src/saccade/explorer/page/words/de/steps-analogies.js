/**
 * Vier Arten, dieselben Schritte zu erzählen, jede gebunden an die Zahlen der gewählten Anfrage und des Schlüssels. Ein Bild
 * in Worten darf nie etwas sagen, was die Zahlen nicht sagen.
 */
import { full, share, two } from "page/steps/shares";

/** @typedef {typeof import("page/words/en/steps-analogies").TOLD} Told */

/** @type {typeof import("page/words/en/steps-analogies").ANALOGIES} */
export const ANALOGIES = {
  cafeteria: "eine Kantine",
  search: "eine Videosuche",
  dictionary: "ein Wörterbuch",
  filter: "einen Bildfilter",
  none: "bitte kein Bild",
};

/** @type {Told["cafeteria"]} */
const cafeteria = {
  tokens: (f) => `${f.pieces} Gäste stellen sich an, und jeder Gast betreibt auch eine Theke.`,
  embedding: (f) =>
    `Jeder Gast bringt eine Karte mit ${f.width} Angaben über seinen Geschmack mit. Gäste mit demselben Namen bringen dieselbe Karte.`,
  position: (f) =>
    `Ein Stempel mit dem Platz in der Schlange kommt darauf: „${f.query}“ ist Nummer ${f.q}. Ohne ihn könnte niemand den Ersten ` +
    "vom Letzten unterscheiden.",
  qkv: (f) =>
    `„${f.query}“ schreibt einen Wunsch auf. Jede Theke hängt ein Schild hinaus und hat ein Gericht dahinter. Wunsch, Schild und ` +
    `Gericht haben je ${f.dk} Zahlen.`,
  memory: (f) =>
    `Hier gibt es keine Theken. Ein Kellner hört alle ${f.pieces} Bestellungen und muss sie in ${f.memoryNumbers} Zahlen behalten.`,
  states: (f) =>
    `Der Gast, der jetzt bedient wird, hat einen Wunsch; ${f.keys} Theken sind ` +
    `offen${f.oneVector ? ", und das Schild an jeder ist das Gericht selbst" : ""}.`,
  scores: (f) =>
    `„${f.query}“ hält den Wunsch gegen das Schild jeder der ${f.keys} Theken. Das Schild von „${f.key}“ passt mit ${two(f.score)}.`,
  scale: (f) =>
    `Lange Wunschlisten geben für alles viele Punkte. Alle Punkte werden durch ${two(1 / f.scale)} geteilt, damit keine Theke ` +
    `allein durch die Länge der Liste gewinnt: Aus ${two(f.score)} wird ${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Manche Theken sind ${f.causal ? "noch nicht offen" : "zu weit weg"}: „${f.query}“ erreicht ${f.allowed} von ${f.keys}.`
      : `Alle ${f.keys} Theken stehen „${f.query}“ offen.`,
  softmax: (f) =>
    `Die Punkte entscheiden, wie der Teller aufgeteilt wird: ${share(f.bestWeight)} für „${f.best}“, ` +
    `${share(f.otherWeight)} für ` +
    `„${f.other}“` +
    full(
      f,
      ", und so weiter, bis der Teller genau voll ist",
      ` und so weiter; der Teller ist zu ${share(f.rowSum)} voll`,
    ) +
    ".",
  values: (f) =>
    `Nun kommen die Gerichte in diesen Anteilen auf den Teller. Es ist ein gemischtes Essen, ${share(f.bestWeight)} davon von ` +
    `„${f.best}“.`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} Kellner machten mit verschiedenen Wünschen die Runde. Ihre Teller kommen auf ein Tablett, und W_O richtet sie an.`
      : "Ein Kellner ging los; W_O richtet den Teller an.",
  norm: () =>
    "Das neue Essen kommt zu dem, was der Gast schon hatte, und die Portion wird auf eine übliche Größe gebracht.",
  ffn: (f) => `Jeder Gast verdaut allein. Von ${f.inner} kleinen Reaktionen geschehen ${f.active} in „${f.query}“.`,
  output: (f) =>
    `Gut gesättigt sagt der Gast das nächste Wortstück: „${f.candidate}“, mit ${share(f.probability)} Sicherheit.`,
};

/** @type {Told["search"]} */
const search = {
  tokens: (f) => `Eine Sammlung von ${f.pieces} Clips, einer für jedes Wortstück des Satzes.`,
  embedding: (f) =>
    `Jeder Clip wird mit ${f.width} Zahlen beschrieben; gleiche Wortstücke bekommen die gleiche Beschreibung.`,
  position: (f) => `Der Zeitstempel kommt dazu: „${f.query}“ ist Clip ${f.q}.`,
  qkv: (f) =>
    `„${f.query}“ tippt eine Suchzeile. Jeder Clip hat einen Titel, an dem man ihn findet, und einen Inhalt, den man ansieht: drei ` +
    `Vektoren von ${f.dk} Zahlen.`,
  memory: (f) =>
    `Hier wird nicht gesucht: Jemand hat alle ${f.pieces} Clips angesehen und eine Notiz von ${f.memoryNumbers} Zahlen geschrieben.`,
  states: (f) =>
    `Der Decoder tippt eine Suchzeile; ${f.keys} Clips sind zu ` +
    `finden${f.oneVector ? ", jeder an seinem eigenen Inhalt, denn einen eigenen Titel hat er nicht" : ""}.`,
  scores: (f) => `Die Suchzeile wird mit allen ${f.keys} Titeln verglichen. „${f.key}“ bekommt ${two(f.score)} Punkte.`,
  scale: (f) =>
    `Titel sind ${f.dk} Zahlen lang, und lange Titel sammeln Punkte durch bloße Länge. Durch ${two(1 / f.scale)} geteilt werden ` +
    `es ${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Clips, die ${f.causal ? "noch nicht gedreht" : "zu weit weg"} sind, lassen sich nicht finden: ${f.allowed} von ${f.keys} ` +
        `stehen in der Liste für „${f.query}“.`
      : `Alle ${f.keys} Clips stehen in der Liste.`,
  softmax: (f) =>
    `Aus Punkten wird Sehzeit. „${f.best}“ bekommt ${share(f.bestWeight)} der Stunde, „${f.other}“ ${share(f.otherWeight)}.`,
  values: (f) => `Du siehst alle zugleich, übereinander geblendet; „${f.best}“ mit ${share(f.bestWeight)} des Lichts.`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} Leute haben mit anderen Suchzeilen gesucht. Ihre Notizen werden nebeneinandergelegt und von W_O zusammengefasst.`
      : "Eine Person hat gesucht; W_O fasst die Notizen zusammen.",
  norm: () => "Die Zusammenfassung kommt zu dem, was du schon wusstest, und die Lautstärke wird auf normal gestellt.",
  ffn: (f) => `Nun denkst du für dich darüber nach: ${f.active} von ${f.inner} Gedanken kommen dir.`,
  output: (f) => `Und du sagst, was als nächstes kommt: „${f.candidate}“ (${share(f.probability)}).`,
};

/** @type {Told["dictionary"]} */
const dictionary = {
  tokens: (f) => `Für diesen einen Satz entsteht ein Wörterbuch mit ${f.pieces} Einträgen.`,
  embedding: (f) =>
    `Jeder Eintrag beginnt als ${f.width} Zahlen, aus einer großen Tabelle, die das Modell gelernt hat.`,
  position: (f) => `Die Seitenzahl wird in den Eintrag eingearbeitet: „${f.query}“ steht auf Seite ${f.q}.`,
  qkv: (f) =>
    `„${f.query}“ schlagen wir nach. Jeder Eintrag hat ein Stichwort (seinen Schlüssel) und eine Erklärung (seinen Wert). Ein ` +
    "gewöhnliches Wörterbuch will genau das Stichwort; dieses nimmt jedes, das nahe kommt.",
  memory: (f) =>
    `Hier gibt es kein Wörterbuch: ${f.pieces} Einträge werden auf ${f.memoryNumbers} Zahlen eingekocht, und das Buch ist zu.`,
  states: (f) =>
    `Der Zustand des Decoders wird in ${f.keys} Einträgen ` +
    `nachgeschlagen${f.oneVector ? ", deren Stichwort und Erklärung ein und derselbe Vektor sind" : ""}.`,
  scores: (f) =>
    `Wie nah ist das Stichwort „${f.key}“ dem, was „${f.query}“ nachschlägt? ${two(f.score)}. Alle ${f.keys} Stichwörter werden ` +
    "gefragt.",
  scale: (f) =>
    `Nähe wird über ${f.dk} Buchstaben gezählt; durch ${two(1 / f.scale)} geteilt bleibt aus ${two(f.score)} ein vernünftiges ` +
    `${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Seiten, die ${f.causal ? "noch nicht geschrieben" : "zu weit weg"} sind, kleben zusammen: ${f.allowed} von ${f.keys} lassen ` +
        "sich öffnen."
      : `Alle ${f.keys} Seiten lassen sich öffnen.`,
  softmax: (f) =>
    `Statt eines Treffers bekommst du Anteile aller Einträge: „${f.best}“ ${share(f.bestWeight)}, „${f.other}“ ` +
    `${share(f.otherWeight)}.`,
  values: (f) => `Die Antwort ist eine Mischung von Erklärungen, ${share(f.bestWeight)} davon die unter „${f.best}“.`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} Wörterbücher verschiedener Art wurden zugleich aufgeschlagen. W_O schreibt aus ${f.heads} Antworten eine.`
      : "Ein Wörterbuch wurde aufgeschlagen; W_O schreibt die Antwort.",
  norm: () =>
    "Die Antwort wird mit Bleistift neben den alten Eintrag geschrieben, und die Handschrift wird auf eine Größe gebracht.",
  ffn: (f) => `Der Eintrag wird für sich überarbeitet: ${f.active} von ${f.inner} Regeln greifen.`,
  output: (f) => `Der fertige Eintrag nennt das nächste Wortstück: „${f.candidate}“ (${share(f.probability)}).`,
};

/** @type {Told["filter"]} */
const filter = {
  tokens: (f) => `Der Satz ist ein Streifen von ${f.pieces} Pixeln, einer für jedes Wortstück.`,
  embedding: (f) => `Jedes Pixel hat nicht drei Farben, sondern ${f.width}.`,
  position: (f) =>
    `Ein feines Raster wird darübergedruckt, sodass sich Pixel ${f.q}, „${f.query}“, von jedem anderen Platz unterscheidet.`,
  qkv: (_f) =>
    "Das Bild macht seinen eigenen Filter: Anfragen und Schlüssel entscheiden, wo Licht durchkommt, Werte sind das Bild, das " +
    "gefiltert wird.",
  memory: (f) =>
    `Hier gibt es keinen Filter: Der Streifen von ${f.pieces} Pixeln wird auf eines mit ${f.memoryNumbers} Farben verkleinert.`,
  states: (f) =>
    `Der Zustand des Decoders macht einen Filter über ${f.keys} ` +
    `Pixel${f.oneVector ? " und schaut durch ihn auf eben diese Pixel" : ""}.`,
  scores: (f) =>
    `Das ist der rohe Filter: eine Zeile für jede Anfrage. In Zeile „${f.query}“, Spalte „${f.key}“ steht ${two(f.score)}.`,
  scale: (f) =>
    `Der Kontrast wird um ${two(1 / f.scale)} heruntergedreht, sonst bliebe nur ein Pixel sichtbar: Aus ${two(f.score)} wird ` +
    `${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Schwarzes Klebeband verdeckt ${f.keys - f.allowed} von ${f.keys} Pixeln in dieser Zeile.`
      : "Kein Klebeband: Die ganze Zeile ist offen.",
  softmax: (f) =>
    "Die Zeile wird zu Glas, das " +
    `${full(f, "alles Licht genau einmal", `${share(f.rowSum)} des Lichts`)} durchlässt: ${share(f.bestWeight)} bei „${f.best}“, ` +
    `${share(f.otherWeight)} bei „${f.other}“.`,
  values: (f) =>
    `Durch den Filter sieht „${f.query}“ ein einziges verschwommenes Pixel, vor allem „${f.best}“ (${share(f.bestWeight)}).`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} Filter zugleich, wie ${f.heads} Kanäle eines Bildes; W_O mischt die Kanäle.`
      : "Ein Filter, ein Kanal; W_O mischt seine Farben.",
  norm: () =>
    "Das gefilterte Bild wird über das ursprüngliche gelegt, Helligkeit und Kontrast werden auf normal gestellt.",
  ffn: (f) => `Jedes Pixel wird allein retuschiert: ${f.active} von ${f.inner} Pinseln berühren „${f.query}“.`,
  output: (f) => `Auf dem fertigen Bild steht „${f.candidate}“ (${share(f.probability)}).`,
};

export const TOLD = { cafeteria, search, dictionary, filter };
