/**
 * One drawing surface with two backends: what is drawn on a canvas and what is written as SVG come out of the same
 * calls, so that a picture on the page and a picture in a paper cannot differ.
 *
 *   rect(x, y, width, height, fill)            outline(x, y, width, height, stroke, thickness)
 *   line(x1, y1, x2, y2, stroke, thickness)    curve(x1, y1, x2, y2, stroke, thickness, opacity, across)
 *                                              an S from top to bottom; `across`: from left to right
 *   text(x, y, string, {size, align: "start"|"middle"|"end", fill, turn (degrees), weight, family})   y: its middle
 *   hatch(x, y, width, height, stroke)         cells(x, y, cell, rows, columns, colourOf(i, j) -> css or null)
 */
import { h } from "page/elements/dom";
import { drawn } from "page/numbers/veil";

/** @import { Attributes, Child, TextStyle } from "page/types" */

/** Pixels of the screen for one of the page, which is drawn larger where it is presented or the screen is wide. */
const pixels = () =>
  (globalThis.devicePixelRatio ?? 1) *
  (document.documentElement.currentCSSZoom ?? 1) *
  (document.documentElement.hasAttribute("data-present") ? 1.5 : 1);

const FAMILY = "system-ui, sans-serif";
const STRIPE = 5;

/**
 * The two points that bend a curve into an S.
 * @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {boolean} across
 * @returns {[number, number, number, number]}
 */
function bends(x1, y1, x2, y2, across) {
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return across ? [x, y1, x, y2] : [x1, y, x2, y];
}

/** What both backends share. @abstract */
class Surface {
  /**
   * @abstract
   * @param {number} _x @param {number} _y @param {number} _width @param {number} _height @param {string} _fill
   */
  rect(_x, _y, _width, _height, _fill) {
    throw new Error("a surface must say how it fills a rectangle");
  }

  /**
   * Fills the cells that have a colour.
   * @param {number} x
   * @param {number} y
   * @param {number} cell
   * @param {number} rows
   * @param {number} columns
   * @param {(i: number, j: number) => string | null} colourOf
   */
  cells(x, y, cell, rows, columns, colourOf) {
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const fill = colourOf(i, j);
        if (fill) this.rect(x + j * cell, y + i * cell, cell, cell, fill);
      }
  }
}

/** Draws on a canvas; one unit is one CSS pixel, whatever the screen's. */
export class CanvasSurface extends Surface {
  /** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @param {number} [ratio] */
  constructor(canvas, width, height, ratio = pixels()) {
    super();
    // A canvas of more than this many pixels a side is refused by some browsers and slow in all.
    const scale = Math.max(width, height) * ratio > 8192 ? 8192 / Math.max(width, height) : ratio;
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill */
  rect(x, y, width, height, fill) {
    this.pen.fillStyle = fill;
    this.pen.fillRect(x, y, width, height);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {string} stroke
   * @param {number} [thickness]
   */
  outline(x, y, width, height, stroke, thickness = 1) {
    this.pen.strokeStyle = stroke;
    this.pen.lineWidth = thickness;
    this.pen.strokeRect(x + thickness / 2, y + thickness / 2, width - thickness, height - thickness);
  }

  /**
   * @param {number} x1
   * @param {number} y1
   * @param {number} x2
   * @param {number} y2
   * @param {string} stroke
   * @param {number} [thickness]
   */
  line(x1, y1, x2, y2, stroke, thickness = 1) {
    this.pen.strokeStyle = stroke;
    this.pen.lineWidth = thickness;
    this.pen.beginPath();
    this.pen.moveTo(x1, y1);
    this.pen.lineTo(x2, y2);
    this.pen.stroke();
  }

  /**
   * @param {number} x1
   * @param {number} y1
   * @param {number} x2
   * @param {number} y2
   * @param {string} stroke
   * @param {number} [thickness]
   * @param {number} [opacity]
   */
  curve(x1, y1, x2, y2, stroke, thickness = 1, opacity = 1, across = false) {
    this.pen.save();
    this.pen.globalAlpha = opacity;
    this.pen.strokeStyle = stroke;
    this.pen.lineWidth = thickness;
    this.pen.beginPath();
    this.pen.moveTo(x1, y1);
    this.pen.bezierCurveTo(...bends(x1, y1, x2, y2, across), x2, y2);
    this.pen.stroke();
    this.pen.restore();
  }

  /** @param {number} x @param {number} y @param {string} string @param {TextStyle} [given] */
  text(x, y, string, { size = 12, align = "start", fill = "#000", turn = 0, weight = 400, family = FAMILY } = {}) {
    this.pen.save();
    this.pen.translate(x, y);
    this.pen.rotate((turn * Math.PI) / 180);
    this.pen.font = `${weight} ${size}px ${family}`;
    this.pen.textAlign = align === "middle" ? "center" : align === "end" ? "right" : "left";
    this.pen.textBaseline = "middle";
    this.pen.fillStyle = fill;
    this.pen.fillText(drawn(string), 0, 0);
    this.pen.restore();
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} stroke */
  hatch(x, y, width, height, stroke) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(x, y, width, height);
    this.pen.clip();
    this.pen.strokeStyle = stroke;
    this.pen.lineWidth = 1;
    this.pen.beginPath();
    for (let at = Math.floor((x + y) / STRIPE) * STRIPE; at <= x + width + y + height; at += STRIPE) {
      this.pen.moveTo(at - y, y);
      this.pen.lineTo(at - y - height, y + height);
    }
    this.pen.stroke();
    this.pen.restore();
  }
}

/** Writes SVG: a rectangle a cell, text as text. */
export class SvgSurface extends Surface {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    super();
    const box = { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FAMILY };
    this.element = h("svg:svg", { xmlns: "http://www.w3.org/2000/svg", ...box });
    this.hatches = 0;
  }

  /** @param {string} tag @param {Attributes} attributes @param {...Child} children */
  add(tag, attributes, ...children) {
    this.element.append(h(`svg:${tag}`, attributes, ...children));
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill */
  rect(x, y, width, height, fill) {
    this.add("rect", { x, y, width, height, fill });
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {string} stroke
   * @param {number} [thickness]
   */
  outline(x, y, width, height, stroke, thickness = 1) {
    const half = thickness / 2;
    const place = { x: x + half, y: y + half, width: width - thickness, height: height - thickness };
    this.add("path", {
      d: `M${place.x} ${place.y}h${place.width}v${place.height}h${-place.width}z`,
      fill: "none",
      stroke,
      "stroke-width": thickness,
    });
  }

  /**
   * @param {number} x1
   * @param {number} y1
   * @param {number} x2
   * @param {number} y2
   * @param {string} stroke
   * @param {number} [thickness]
   */
  line(x1, y1, x2, y2, stroke, thickness = 1) {
    this.add("line", { x1, y1, x2, y2, stroke, "stroke-width": thickness });
  }

  /**
   * @param {number} x1
   * @param {number} y1
   * @param {number} x2
   * @param {number} y2
   * @param {string} stroke
   * @param {number} [thickness]
   * @param {number} [opacity]
   */
  curve(x1, y1, x2, y2, stroke, thickness = 1, opacity = 1, across = false) {
    this.add("path", {
      d: `M${x1} ${y1}C${bends(x1, y1, x2, y2, across).join(" ")} ${x2} ${y2}`,
      fill: "none",
      stroke,
      "stroke-width": thickness,
      "stroke-opacity": opacity,
    });
  }

  /** @param {number} x @param {number} y @param {string} string @param {TextStyle} [given] */
  text(x, y, string, { size = 12, align = "start", fill = "#000", turn = 0, weight = 400, family = undefined } = {}) {
    const place = {
      x,
      y,
      transform: turn ? `rotate(${turn} ${x} ${y})` : null,
      "dominant-baseline": "central",
      "text-anchor": align,
    };
    this.add(
      "text",
      { ...place, fill, "font-size": size, "font-weight": weight === 400 ? null : weight, "font-family": family },
      drawn(string),
    );
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} stroke */
  hatch(x, y, width, height, stroke) {
    if (!this.hatches) {
      const stripes = h("svg:path", { d: `M0 ${STRIPE}L${STRIPE} 0`, stroke });
      this.add(
        "defs",
        {},
        h("svg:pattern", { id: "not-allowed", width: STRIPE, height: STRIPE, patternUnits: "userSpaceOnUse" }, stripes),
      );
    }
    this.hatches += 1;
    this.add("path", { d: `M${x} ${y}h${width}v${height}h${-width}z`, fill: "url(#not-allowed)" });
  }

  /** The file. */
  toString() {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(this.element)}\n`;
  }
}
