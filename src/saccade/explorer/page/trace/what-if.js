/**
 * A supposition about a model as a link writes it and as the server reads it.
 *
 *   no-scale                   {name: "no-scale"}
 *   temperature:0.5            {name: "temperature", value: 0.5}
 *   score:cosine               {name: "score", value: "cosine"}
 *   head-off:dec.1.cross:3     {name: "head-off", block: "dec.1.cross", head: 3}
 *   no-scale@dec.1.cross       {name: "no-scale", block: "dec.1.cross"}
 */

/** What a link writes, as an object; null for nothing. @param {string} written */
export function supposition(written) {
  if (!written) return null;
  const [text, block] = written.split("@");
  const [name, ...rest] = text.split(":");
  if (name === "head-off") return { name, block: rest[0] ?? null, head: number(rest[1]) ?? null };
  const value = rest.length ? (number(rest.join(":")) ?? rest.join(":")) : null;
  return { name, ...(value === null ? {} : { value }), ...(block ? { block } : {}) };
}

/** An object, as a link writes it. @param {Record<string, any> | null} whatIf */
export function written(whatIf) {
  if (!whatIf) return "";
  if (whatIf.written !== undefined) return whatIf.written;
  const { name, value = null, block = null, head = null } = whatIf;
  if (name === "head-off") return `${name}:${block}:${head}`;
  return `${name}${value === null || value === "" ? "" : `:${value}`}${block === null ? "" : `@${block}`}`;
}

/** @param {string | undefined} text */
const number = (text) => (text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);
