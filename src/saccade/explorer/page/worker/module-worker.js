/**
 * A worker made of modules of this page, served or in one file.
 *
 * The import map holds for the page and not for its workers, and a worker of a page that was opened from a disk may
 * import nothing at all. So the modules a worker needs are joined into one script: each becomes a function that is
 * called once, after those it imports from, and returns what the module exports.
 */
import { bytesOf } from "page/trace/trace";

/** `import { a, b as c } from "page/x";` or `import * as d from "page/x";` */
const IMPORT = /^import (?:(\{[^}]*\})|\* as (\w+)) from "(page\/[^"]+)";$/gm;
/** `export function f`, `export const c`, `export class C`: the forms that can be joined. */
const EXPORT = /^export (async function|function|const|class) (\w+)/gm;

/** Starts a module of the page as a worker: `page/train/worker`. @param {string} name @returns {Promise<Worker>} */
export async function moduleWorker(name) {
  const map = JSON.parse(document.querySelector('script[type="importmap"]')?.textContent ?? "").imports;
  const script = await joined(name, (wanted) => sourceOf(map[wanted]));
  return new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
}

/**
 * One script that does what a module does.
 * @param {string} name
 * @param {(name: string) => Promise<string>} read  the source of a module
 */
export async function joined(name, read) {
  /** Those that are in it already, and those that wait for what they import. @type {Set<string>} */
  const seen = new Set();
  const parts = ['"use strict";', "const modules = {};"];
  /** @param {string} wanted */
  const join = async (wanted) => {
    if (seen.has(wanted)) return;
    seen.add(wanted);
    const source = await read(wanted);
    for (const [, , , imported] of source.matchAll(IMPORT)) await join(imported);
    parts.push(`modules[${JSON.stringify(wanted)}] = (() => {\n${asFunction(source)}\n})();`);
  };
  await join(name);
  return parts.join("\n");
}

/** The body of a function that returns what a module exports. @param {string} source */
function asFunction(source) {
  const names = [...source.matchAll(EXPORT)].map(([, , name]) => name);
  const body = source
    .replace(IMPORT, (_, list, all, from) => {
      const what = all ?? list.replace(/ as /g, ": ");
      return `const ${what} = modules[${JSON.stringify(from)}];`;
    })
    .replace(EXPORT, "$1 $2");
  const left = body.match(/^(?:import|export)\b.*/m);
  if (left) throw new Error(`a worker cannot be made of a module with “${left[0]}”`);
  return `${body}\nreturn { ${names.join(", ")} };`;
}

/** A page in one file may connect to nothing, not even to what stands in itself. @param {string} address */
async function sourceOf(address) {
  const [head, data] = address.split(";base64,");
  if (head.startsWith("data:")) return new TextDecoder().decode(bytesOf(data));
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} cannot be had: ${answer.status}`);
  return answer.text();
}
