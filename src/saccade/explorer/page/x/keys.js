/** The keyboard. */

/** @param {any} app @param {any[]} views */
export function keyboard(app, views) {
  let after = "";
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const before = after;
    after = "";
    if (before === "g") {
      const view = views.find((one) => one.key === event.key);
      if (view) app.set({ view: view.id });
      return;
    }
    if (event.key === "g") after = "g";
    else if (event.key === "/") { event.preventDefault(); document.getElementById("sentence").focus(); }
    else if (event.key === "v") app.set({ table: !app.state.table });
    else if (event.key === "w") app.set({ unit: app.state.unit === "word" ? "piece" : "word", q: null, k: null });
  });
}
