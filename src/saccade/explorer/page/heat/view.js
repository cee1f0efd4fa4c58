/** One matrix of attention, large: every row a query, every column a key, every cell how much is looked. */

import { words } from "page/app/words";
import { links } from "page/drawing/alignment-curves";
import { matrix } from "page/drawing/matrix";
import { segmented, select, toggle } from "page/elements/controls";
import { h } from "page/elements/dom";
import { keys } from "page/heat/keys";
import { HEAT } from "page/heat/words";
import { argmax, digits, percent } from "page/numbers/numbers";
import { attention, filtered, influence, onSpecials, row, source } from "page/trace/attention";
import { blocks, chosen, kinds } from "page/trace/trace";

/** @import { Choice } from "page/steps/facts" */
/** @import { Attention } from "page/trace/attention" */
/** @import { AxisEntry, Block, Context, State, Trace, View } from "page/types" */

const MASSES = [1, 0.9, 0.75, 0.5];

/** @type {View} */
export default {
  id: "heat",
  key: "m",
  keys,
  title: words.viewNames.heat,
  follows: ["q", "k"],
  /** @param {State} state */
  needs: (state) => (state.opinion === "attention" ? [] : ["influence"]),
  /** @param {HTMLElement} root @param {Context} context */
  render(root, context) {
    const { trace, state } = context;
    root.append(h("h1", {}, HEAT.heading));
    const found = attention(trace, state);
    if (!found) {
      root.append(h("p", { class: "explain" }, words.noAttention(trace)), opinions(context));
      if (state.opinion !== "attention") second(root, context);
      return;
    }
    root.append(steering(context, found));
    if (state.opinion === "attention") first(root, context, found);
    else second(root, context);
    root.append(h("p", { class: "caution" }, words.caution));
  },
};

/**
 * The attention weights themselves.
 * @param {HTMLElement} root
 * @param {Context} context
 * @param {any} found
 */
function first(root, context, found) {
  const { trace, state } = context;
  const written = state.step !== null && found.block.query_axis === "reads" ? state.step : null;
  const picture = filtered(found, state, written);
  const axes = [
    HEAT.axes[found.block.query_axis !== "reads" ? "word" : state.shift ? "writes" : "reads"],
    HEAT.axes.looks,
  ];
  const title = found.title;
  const captions = source(trace, state);
  if (state.links) {
    /** @param {number} row */
    const rowOf = (row) => context.set({ q: row, k: null });
    root.append(
      links(context, {
        title,
        name: `${found.name}-links`,
        rows: found.rows,
        columns: picture.columns,
        weights: picture.values,
        chosen: state.q ?? 0,
        mass: state.mass,
        captions,
        onRow: rowOf,
        onColumn: (j) => context.set({ k: picture.columnsAt[j] }),
        until: null,
      }),
    );
  } else {
    /** @param {Choice} choice */
    const place = ({ q, k }) =>
      q === null || q >= found.rows.length
        ? null
        : { row: q, column: Math.max(0, picture.at(k ?? argmax(row(found, q)))) };
    root.append(
      matrix(context, {
        values: picture.values,
        rows: labelled(trace, found, state),
        columns: picture.columns,
        mask: picture.mask,
        shown: picture.shown,
        title,
        name: found.name,
        captions,
        cursor: place(/** @type {any} */ (state)),
        axes,
        /** @param {number} q @param {number} k */
        onPick: (q, k) => context.set({ q, k: picture.columnsAt[k] }),
        follow: place,
      }),
    );
  }
  const special = onSpecials(found);
  if (special >= 0.25) root.append(h("p", { class: "note" }, words.sink(percent(special), HEAT.specials)));
}

/**
 * Rows of a decoder say both what was read and what is written.
 * @param {Trace} trace
 * @param {any} found
 * @param {any} given
 */
function labelled(trace, found, { unit, shift }) {
  if (found.block.query_axis !== "reads" || unit !== "piece") return found.rows;
  const { reads, target } = trace.axes;
  /** @param {number} i */
  const full = (i) => HEAT.row(reads.tokens[i].piece, target.tokens[i]?.piece ?? "?");
  return found.rows.map((/** @type {AxisEntry} */ row, /** @type {number} */ i) => ({
    ...row,
    full: full(/** @type {any} */ (row).pieces[0] ?? i),
    label: /** @type {any} */ (row).label,
    shift,
  }));
}

/**
 * The second opinion: what happens to a written word when a source word changes.
 * @param {HTMLElement} root
 * @param {Context} context
 */
function second(root, context) {
  const { trace, state } = context;
  root.append(h("p", { class: "explain" }, words.opinionWhy[state.opinion]));
  const found = influence(trace, /** @type {any} */ (state.opinion), state.unit);
  if (!found) {
    const said = context.waits()
      ? words.waiting
      : (context.failed()?.message ??
        words.missing(HEAT.influence, words.missingCommand(trace.model.name, state.sentence)));
    root.append(h("p", { class: "note" }, said));
    return;
  }
  root.append(
    matrix(context, {
      values: found.weights,
      rows: found.rows,
      columns: found.columns,
      scale: state.opinion === "gradient" ? "weights" : "diverging",
      title: words.opinions[state.opinion],
      name: `influence-${state.opinion}`,
      captions: source(trace, { ...state, hide: false, mass: 1 }),
      axes: [HEAT.axes.writes, HEAT.axes.influenced],
      cursor: null,
    }),
  );
}

/** @param {Context} context @param {any} found */
function steering(context, found) {
  const { trace, state, set } = context;
  const present = kinds(trace);
  const { kind, block, head } = /** @type {Attention} */ (chosen(trace, state));
  const fresh = { q: null, k: null };
  const layers = blocks(trace, /** @type {NonNullable<typeof kind>} */ (kind));
  const kindChoices = ["enc", "dec", "cross"].map((value) => ({
    value,
    name: words.kinds[/** @type {keyof typeof words.kinds} */ (value)],
    title: present.includes(/** @type {any} */ (value))
      ? words.kindTitles[/** @type {keyof typeof words.kindTitles} */ (value)]
      : words.noKind(/** @type {any} */ (value)),
    disabled: !present.includes(/** @type {any} */ (value)),
  }));
  const layerChoices = [
    ...layers.map((one) => ({ value: one.layer, name: String(one.layer + 1) })),
    ...(layers.length > 1 ? [{ value: "all", name: words.mean, title: HEAT.allLayers }] : []),
  ];
  const headChoices = [
    { value: "mean", name: words.mean, title: HEAT.allHeads },
    ...Array.from({ length: block.heads }, (_, i) => ({
      value: i,
      name: String(i + 1),
    })),
  ];
  /** @param {string} label @param {any} control */
  const named = (label, control) => h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, label), control);
  return h(
    "div",
    { class: "steering" },
    h(
      "div",
      { class: "steer" },
      segmented(HEAT.kind, kindChoices, kind, (value) => set({ kind: value, layer: null, ...fresh })),
      named(
        words.layer,
        segmented(words.layer, layerChoices, state.average ? "all" : block.layer, (value) =>
          set(value === "all" ? { average: true } : { layer: value, average: false }),
        ),
      ),
      block.heads > 1
        ? named(
            words.head,
            segmented(words.head, headChoices, head, (value) => set({ head: value })),
          )
        : null,
    ),
    h(
      "div",
      { class: "steer" },
      segmented(
        HEAT.unit,
        [
          { value: "word", name: HEAT.units.word },
          { value: "piece", name: HEAT.units.piece },
        ],
        state.unit,
        (unit) => set({ unit, ...fresh }),
      ),
      opinions(context),
      found.block.query_axis === "reads"
        ? toggle(HEAT.rows, state.shift, (shift) => set({ shift, ...fresh }), words.shiftWhy)
        : null,
      toggle(HEAT.links, state.links, (value) => set({ links: value })),
      best(context),
    ),
    tuning(context),
  );
}

/** Filters and colours, folded until somebody wants them. @param {Context} context */
function tuning({ state, set }) {
  /** @param {any} names */
  const named = (names) => Object.entries(names).map(([value, name]) => ({ value, name }));
  const changed = [state.transfer !== "sqrt", state.palette !== "ink", state.mass < 1, state.hide].filter(
    Boolean,
  ).length;
  const masses = [...new Set([...MASSES, state.mass])];
  return h(
    "details",
    {
      class: "tuning",
      open: state.tune,
      ontoggle: (event) => {
        if (event.target.open !== state.tune) set({ tune: event.target.open });
      },
    },
    h("summary", { dataset: { focus: "tuning" } }, HEAT.tuning(changed)),
    h(
      "div",
      { class: "steer" },
      select(HEAT.colours, named(words.transfers), state.transfer, (transfer) => set({ transfer })),
      select(HEAT.palette, named(words.palettes), state.palette, (palette) => set({ palette })),
      select(
        HEAT.show,
        masses.map((value) => ({
          value,
          name: value === 1 ? HEAT.everything : HEAT.heaviest(Math.round(value * 100)),
        })),
        state.mass,
        (mass) => set({ mass }),
      ),
      toggle(HEAT.hide, state.hide, (hide) => set({ hide, k: null })),
      state.hide ? toggle(HEAT.again, state.share, (share) => set({ share })) : null,
    ),
  );
}

/** The button that leads to the head that aligns best, where the trace names one. @param {Context} context */
function best({ trace, set }) {
  const found = trace.alignment?.best;
  if (!found) return null;
  const block = /** @type {Block} */ (trace.blocks.find((one) => one.id === found.block));
  const go = () =>
    set({
      kind: "cross",
      layer: block.layer,
      head: found.head ?? "mean",
      shift: true,
      average: false,
      opinion: "attention",
      q: null,
      k: null,
    });
  return h(
    "button",
    { type: "button", class: "quiet", title: words.bestHeadWhy(digits(found.agreement, 2)), onclick: go },
    HEAT.best(block.layer + 1, block.heads > 1 ? found.head + 1 : null),
  );
}

/** @param {Context} context */
function opinions({ state, set }) {
  return select(
    HEAT.picture,
    Object.entries(words.opinions).map(([value, name]) => ({ value, name })),
    state.opinion,
    (opinion) => set({ opinion }),
  );
}
