/**
 * Colours for numbers, computed in OKLCH so that lightness is strictly monotone: a larger weight is further from the
 * background in every theme, on every screen, and in print. Zero is the background itself.
 */

/** @import { Colour, Theme } from "page/types" */

/** @typedef {"ink" | "dusk" | "grey"} Palette */

/**
 * OKLCH to sRGB, each channel 0 to 255 and not rounded.
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue
 * @returns {Colour}
 */
export function oklch(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return /** @type {Colour} */ (
    linear.map((x) => 255 * Math.min(1, Math.max(0, x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)))
  );
}

/** @param {number} from @param {number} to @param {number} share */
const mix = (from, to, share) => from + (to - from) * share;

/** The lightness of nothing and of all, in each theme. */
const LIGHTNESS = { light: [0.985, 0.3], dark: [0.215, 0.93] };

const HUES = {
  /** @param {number} share */
  ink: (share) => [0.145 * Math.sin(Math.PI * Math.min(1, 0.06 + 0.8 * share)), mix(235, 268, share)],
  /** @param {number} share @param {Theme} theme */
  dusk: (share, theme) => [
    0.11 * Math.sin(Math.PI * Math.min(1, 0.05 + 0.75 * share)),
    theme === "dark" ? mix(265, 95, share) : mix(95, 265, share),
  ],
  grey: () => [0, 0],
};

/**
 * The colour of a share between 0 and 1.
 * @param {number} share @param {Theme} theme @param {Palette} [palette]
 */
export function sequential(share, theme, palette = "ink") {
  const at = Math.min(1, Math.max(0, share));
  const [from, to] = LIGHTNESS[theme];
  const [chroma, hue] = HUES[palette](at, theme);
  return oklch(mix(from, to, at), at === 0 ? 0 : chroma * Math.min(1, 6 * at + 0.1), hue);
}

/**
 * The colour of a number between -1 and 1: blue below zero, orange above, the background at it.
 * @param {number} value
 * @param {Theme} theme
 */
export function diverging(value, theme) {
  const at = Math.min(1, Math.max(-1, value));
  const size = Math.abs(at);
  const [from, to] = theme === "light" ? [0.985, 0.48] : [0.215, 0.82];
  return oklch(mix(from, to, size), 0.15 * Math.sqrt(size), at < 0 ? 250 : 55);
}

/** As CSS writes it. @param {Colour} rgb */
export function css(rgb) {
  return `rgb(${Math.round(rgb[0])} ${Math.round(rgb[1])} ${Math.round(rgb[2])})`;
}

/** Black or white, whichever reads better on a colour (relative luminance of WCAG). @param {Colour} rgb */
export function ink(rgb) {
  const [r, g, b] = rgb.map((channel) => {
    const x = channel / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

/** How a weight becomes a share of the scale. @type {Record<string, (value: number, most: number) => number>} */
export const TRANSFERS = {
  sqrt: (value) => Math.sqrt(Math.max(0, value)),
  linear: (value) => value,
  rowmax: (value, most) => (most > 0 ? value / most : 0),
};
