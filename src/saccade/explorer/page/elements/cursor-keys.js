/**
 * The keys that move a cursor through a matrix: arrows, Home and End in the row, with Ctrl in the whole matrix, and
 * where they are wanted Page Up and Page Down in the column and Enter for the cell itself.
 */

/** @import { Place } from "page/types" */

/**
 * @param {HTMLElement} element  what must have the focus
 * @param {object} matrix
 * @param {number} matrix.rows
 * @param {number} matrix.columns
 * @param {() => Place} matrix.place  where the cursor is
 * @param {(row: number, column: number, pinned: boolean) => void} matrix.pick  called with a cell that exists;
 *   `pinned`:
 *   by Enter
 * @param {boolean} [matrix.pages]  Page Up, Page Down and Enter are keys of this matrix too
 */
export function cursorKeys(element, { rows, columns, place, pick, pages = false }) {
  element.addEventListener("keydown", (event) => {
    const next = moved(event, place(), rows, columns, pages);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    pick(within(next.row, rows), within(next.column, columns), event.key === "Enter");
  });
}

/** The nearest place that exists. @param {number} value @param {number} count */
export const within = (value, count) => Math.min(count - 1, Math.max(0, value));

/**
 * The cell a key leads to, or null where the key is none of these.
 * @param {KeyboardEvent} event
 * @param {Place} place
 * @param {number} rows
 * @param {number} columns
 * @param {boolean} pages
 * @returns {Place | null}
 */
function moved(event, { row, column }, rows, columns, pages) {
  if (event.altKey || event.metaKey) return null;
  const far = event.ctrlKey;
  switch (event.key) {
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowDown":
      return { row: row + 1, column };
    case "Home":
      return { row: far ? 0 : row, column: 0 };
    case "End":
      return { row: far ? rows - 1 : row, column: columns - 1 };
    case "PageUp":
      return pages ? { row: 0, column } : null;
    case "PageDown":
      return pages ? { row: rows - 1, column } : null;
    case "Enter":
      return pages ? { row, column } : null;
    default:
      return null;
  }
}
