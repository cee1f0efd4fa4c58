/** The first module that runs: reads the document out of the page and hands it to the application. */
import { start } from "page/app/app";
import { bytesOf } from "page/trace/trace";

/** @import { PageDocument } from "page/types" */

/**
 * The document stands in the page as JSON, or as gzip in base64 where it is large.
 * @returns {Promise<PageDocument>}
 */
async function embedded() {
  const element = /** @type {HTMLElement} */ (document.getElementById("document"));
  const value = JSON.parse(element.textContent ?? "");
  if (element.dataset.packed !== "gzip") return value;
  const stream = new Blob([bytesOf(value)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

start(/** @type {HTMLElement} */ (document.getElementById("app")), await embedded());
