/** A person's mistake, or what this page cannot do: what is wrong, and what to do about it. */
export class EngineProblem extends Error {
  /** @param {string} title @param {string} [hint] */
  constructor(title, hint = "") {
    super(title);
    this.hint = hint;
  }
}
