/** The types that the modules of the page share. What a trace holds is in trace/schema.d.ts, made from schema.json. */
import type { Problem } from "page/trace/server";
import type { Traces } from "page/trace/store";
import type * as schema from "page/trace/schema";
import type { State } from "page/state/state";
import type { Key } from "page/state/key-types";

export type { State };
export type { Block, Embedding, Layer, Model, Node, Recurrence, Step, Token } from "page/trace/schema";

// Traces ------------------------------------------------------------------------------------------------------------

/** What of a state decides which trace it asks for. */
export type Wish = Pick<State, "model" | "sentence" | "force" | "prefix" | "size" | "penalty" | "whatif">;

/** A trace; `asked` is what the page asked for, where it asked. */
export type Trace = schema.Trace & { asked?: Wish };

/** A paper as the document lists it. */
export interface Paper {
  key: string;
  title: string;
  authors: string[];
  year: number;
  url: string;
  [more: string]: any;
}

/** What one layer of each kind took, as the server measured it. */
export interface Cost {
  d: number;
  lengths: number[];
  kinds: Record<string, { seconds: number[]; fastest?: number[]; slowest?: number[]; multiply_adds: number[] }>;
  [more: string]: any;
}

/** What stands in the page: its traces, the models that can be asked, and the view it opens with. */
export interface PageDocument {
  schema: string;
  traces: Trace[];
  models: schema.Model[];
  papers: Paper[];
  /** traces of an older system that were made in advance */
  ancestors: Trace[];
  route: string;
  cost: Cost | null;
  lossy: boolean;
}

export type Numbers = Float32Array | Float64Array | Uint8Array;

/** A tensor of the trace, decoded. */
export interface Tensor {
  dtype: string;
  shape: number[];
  dims: string[];
  data: Numbers;
}

/** Numbers row by row. */
export interface Matrix {
  rows: number;
  columns: number;
  data: Numbers;
}

/** Which keys each query may see: 1 or 0. */
export interface Mask {
  rows?: number;
  columns?: number;
  data: ArrayLike<number>;
}

/** One word or piece along the side of a matrix; `pieces` are the tokens behind it. */
export interface AxisEntry {
  label: string;
  full: string;
  pieces: number[];
  special: string | null;
}

/** What a picture needs of an entry. */
export type Label = Omit<AxisEntry, "pieces"> & { pieces?: number[] };

export type AxisName = keyof schema.Axes;
/** Encoder self-attention, decoder self-attention, cross-attention. */
export type Kind = State["kind"];
export type Unit = State["unit"];
/** A head from 0, or the mean of all. */
export type Head = State["head"];

// Pictures ----------------------------------------------------------------------------------------------------------

export type Theme = "light" | "dark";
/** Red, green and blue from 0 to 255. */
export type Colour = [number, number, number];

export interface TextStyle {
  size?: number;
  align?: "start" | "middle" | "end";
  fill?: string;
  turn?: number;
  weight?: number;
  family?: string;
}

/** What is drawn on: a canvas or SVG. */
export interface Surface {
  rect(x: number, y: number, width: number, height: number, fill: string): void;
  outline(x: number, y: number, width: number, height: number, stroke: string, thickness?: number): void;
  line(x1: number, y1: number, x2: number, y2: number, stroke: string, thickness?: number): void;
  curve(
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    stroke: string,
    thickness?: number,
    opacity?: number,
    across?: boolean,
  ): void;
  text(x: number, y: number, string: string, style?: TextStyle): void;
  hatch(x: number, y: number, width: number, height: number, stroke: string): void;
  cells(
    x: number,
    y: number,
    cell: number,
    rows: number,
    columns: number,
    colourOf: (i: number, j: number) => string | null,
  ): void;
}

export interface Size {
  width: number;
  height: number;
}

/** A picture that can be saved: its size in pixels, the calls that draw it, and what it is called. */
export interface Drawing {
  title: string;
  name: string;
  size(): Size;
  draw(surface: Surface): void;
  csv?(): string;
}

/** How the cells of a matrix look. */
export interface Look {
  values: Matrix;
  mask?: Mask | null;
  scale: "weights" | "diverging";
  transfer: State["transfer"];
  palette: State["palette"];
  theme: Theme;
  /** the number that gets the strongest colour of the diverging scale */
  limit?: number;
  cell: number;
  outlines?: boolean;
  /** false: cells without their numbers */
  digits?: boolean;
  /** numbers are shares, written as percentages */
  percent?: boolean;
  shown?: (i: number, j: number) => boolean;
}

export interface Place {
  row: number;
  column: number;
}

/** What page/drawing/matrix is given. */
export interface MatrixOptions {
  values?: Matrix;
  tensor?: Tensor;
  rows?: (Label | string)[];
  columns?: (Label | string)[];
  mask?: Mask | null;
  scale?: "weights" | "diverging";
  limit?: number;
  title?: string;
  captions?: string[];
  name?: string;
  cursor?: Place | null;
  onPick?: (row: number, column: number, pinned: boolean) => void;
  follow?: (state: State) => Place | null;
  width?: number;
  cell?: number;
  axes?: string[];
  shown?: (i: number, j: number) => boolean;
  legend?: boolean;
  tools?: boolean;
}

/** The room around a matrix and the size of its cells. */
export interface Layout {
  left: number;
  top: number;
  right: number;
  cell: number;
  slant: number;
}

/** The same with nothing left open. */
export interface MatrixSpec extends MatrixOptions {
  values: Matrix;
  rows: Label[];
  columns: Label[];
  mask: Mask | null;
  scale: "weights" | "diverging";
  captions: string[];
  name: string;
  cursor: Place | null;
  axes: string[];
  room: Layout;
  look: Look;
}

// Elements ----------------------------------------------------------------------------------------------------------

export type Child = Node_ | string | number | boolean | null | undefined | Child[];
type Node_ = globalThis.Element | globalThis.Text;

/** The control an event comes from. */
export type Control = HTMLInputElement & HTMLSelectElement & HTMLDetailsElement;

export interface Attributes {
  style?: Record<string, string>;
  dataset?: Record<string, string | number>;
  onclick?(event: MouseEvent): void;
  onkeydown?(event: KeyboardEvent): void;
  onsubmit?(event: SubmitEvent & { target: Control }): void;
  onclose?(event: Event & { target: Control }): void;
  onscroll?(event: Event & { target: Control }): void;
  onpointermove?(event: PointerEvent & { target: Control }): void;
  onpointerleave?(event: PointerEvent & { target: Control }): void;
  onfocus?(event: FocusEvent & { target: Control }): void;
  onchange?(event: Event & { target: Control }): void;
  oninput?(event: Event & { target: Control }): void;
  ontoggle?(event: Event & { target: Control }): void;
  [name: string]: unknown;
}

/** The element that a tag names: "td", "svg:rect", "math:mi". */
export type ElementOf<Tag extends string> = Tag extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Tag]
  : Tag extends `svg:${infer Name}`
    ? Name extends keyof SVGElementTagNameMap
      ? SVGElementTagNameMap[Name]
      : SVGElement
    : Tag extends `math:${string}`
      ? MathMLElement
      : HTMLElement;

// Views -------------------------------------------------------------------------------------------------------------

/** Some keys of the state with new values. */
export type Changes = Partial<State>;

/** What a view is drawn from. */
export interface Context {
  document: PageDocument;
  /** the trace of the chosen model and sentence; null only for a `bare` view */
  trace: Trace;
  state: Readonly<State>;
  theme: Theme;
  /** pixels the view may fill */
  width: number;
  /** whether new sentences can be asked for: of a server, or of a model inside the page */
  served: boolean;
  /** pictures of this view that can be saved */
  drawings: Drawing[];
  /** changes the state, the link and the picture */
  set(changes: Changes): void;
  /** the trace of the state with these changes, or null while it is not here: it is asked for, and the view drawn again */
  want(changes: Changes, details?: string[]): Trace | null;
  /** whether that trace is on its way */
  waits(changes?: Changes): boolean;
  /** what went wrong with it */
  failed(changes?: Changes): Problem | null;
  /** reads a sentence aloud, in a polite live region */
  say(text: string): void;
  /** goes to a view */
  go(view: string, changes?: Changes): void;
  /** the hash of a view, for the href of a link */
  link(view: string, changes?: Changes): string;
  /** called when only keys in `follows` of the view have changed */
  follow(follower: (state: State) => void): void;
}

/** A view: a pure function of document and state. */
export interface View {
  id: string;
  /** the letter after "g" that goes there */
  key: string;
  title: string;
  /** the keys of the state that only this view reads */
  keys?: Record<string, Key<any>>;
  /** details the trace must hold: "block:dec.0.cross", "influence", "beam" ... */
  needs(state: State, document: PageDocument, trace: Trace): string[];
  /** changes of these keys alone do not draw the view again: what it gave to `context.follow` is called */
  follows?: (keyof State)[];
  /** what of the strip at the bottom acts here: everything, the decoding steps alone, or nothing */
  strip?: "all" | "steps" | "none";
  /** takes the inspector's place too */
  wide?: boolean;
  /** can be drawn without a trace */
  bare?: boolean;
  /** what a presenter's next (1) and previous (-1) change here; null: the next view */
  advance?(state: State, trace: Trace | null | undefined, way: 1 | -1): Changes | null;
  render(root: HTMLElement, context: Context): void;
}

/** What stands around a view. */
export interface Frame {
  main: HTMLElement;
  sentence: HTMLTextAreaElement;
  width(): number;
  say(text: string): void;
  instead(place: HTMLElement, context: Context): void;
  progress(written: number): void;
  widen(wide: boolean): void;
  help(): void;
  export(): void;
  update(context: Context): void;
}

/** The page itself, as its frame, dialogs and shortcuts use it. */
export interface App {
  view(): View;
  document: PageDocument;
  traces: Traces;
  state: State;
  notes: string[];
  told: string;
  letters: boolean;
  context: Context | null;
  frame: Frame;
  set(changes: Changes): void;
  visit(hash: string): void;
  tell(text: string): void;
}
