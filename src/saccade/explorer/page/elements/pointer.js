/** Where a pointer is. */

/**
 * The place of a pointer inside an element, in the element's own pixels: a page that is presented is drawn larger.
 * @param {MouseEvent} event
 * @param {HTMLElement} element
 */
export function pointerIn(event, element) {
  const box = element.getBoundingClientRect();
  const scale = box.width ? element.offsetWidth / box.width : 1;
  return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
}
