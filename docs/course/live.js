/**
 * On the site, pictures of the course come alive: each is followed or replaced by a figure that the reader can change.
 *
 * A figure is a page of its own in live/, shown in a frame (tools/course_live.py writes it). The picture stays until the
 * figure has said that it is drawn, so nothing is lost where there is no such page. No module: a browser loads none
 * from a folder on the disk.
 */
(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);

  /** Pages of the explorer, by the picture they stand for. @type {Record<string, string>} */
  const VIEWS = {
    attention: "explorer.html#/heat?frame=1&s=Where%20is%20the%20train%20station%3F",
    "self-attention": "explorer.html#/steps?frame=1&s=The%20dog%20chased%20the%20ball.",
    training: "training.html#/train?frame=1",
    search: "explorer.html#/beam?frame=1&s=I%20would%20like%20a%20cup%20of%20tea.",
  };
  /** Pictures of which the chapter says more, and which stay above their live figure. */
  const STAY = [
    "perceptrons",
    "forgetting",
    "encoder-decoder",
    "self-attention",
    "training",
    "search",
    "after-the-paper",
  ];
  /** Pixels; a view that is higher is scrolled inside its frame. */
  const HIGHEST = 900;
  /** The model travels with these. */
  const SIZE = "27 MB, once; everything runs in this page";

  const theme = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");

  /** @param {string} name */
  function address(name) {
    const page = VIEWS[name] ?? `figures.html#/${name}?`;
    return new URL(`live/${page}&lang=en&theme=${theme()}`, script.src).href;
  }

  /** @param {HTMLImageElement} picture @param {string} name */
  function frameFor(picture, name) {
    const explorer = name in VIEWS;
    const frame = document.createElement("iframe");
    frame.title = `Live figure: ${picture.alt}`;
    // It must have a height to be drawn for, and is not shown before it is drawn.
    frame.style.cssText =
      "width: 100%; height: 700px; margin-bottom: -700px; border: 0; display: block; visibility: hidden;";
    frame.src = address(name);
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow || typeof data?.height !== "number") return;
      frame.style.cssText = `width: 100%; height: ${explorer ? Math.min(data.height, HIGHEST) : data.height}px; border: 0; display: block;`;
      frame.dataset.live = data.figure;
      if (!STAY.includes(name)) picture.hidden = true;
    });
    // The frame follows the colour scheme of the site.
    new MutationObserver(() => {
      frame.src = address(name);
    }).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
    return frame;
  }

  for (const picture of document.querySelectorAll('img[src*="figures/"]')) {
    const image = /** @type {HTMLImageElement} */ (picture);
    const [, name] = /figures\/([a-z-]+)\.svg$/.exec(image.src) ?? [];
    if (!name) continue;
    if (!VIEWS[name]?.startsWith("explorer")) {
      image.after(frameFor(image, name));
      continue;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "md-button";
    button.textContent = "Make it live, with a sentence of your own";
    button.title = SIZE;
    button.addEventListener("click", () => {
      const frame = frameFor(image, name);
      button.textContent = "Loading the model…";
      button.disabled = true;
      frame.addEventListener("load", () => button.remove());
      button.after(frame);
    });
    image.after(button);
  }
})();
