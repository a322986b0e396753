/** An element to be made: its tag, its attributes and its content. Texts stay texts; null is nothing. */
export type Drawn = readonly [
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...content: (Drawn | Element | string | null)[],
];

/** Makes the element, and those within it; `svg` and what it contains are drawings. */
export function make([tag, attributes, ...content]: Drawn): HTMLElement;
export function make(drawn: Drawn, namespace: string): Element;
export function make([tag, attributes, ...content]: Drawn, namespace = XHTML): Element {
  const own = tag === "svg" ? "http://www.w3.org/2000/svg" : namespace;
  const element = document.createElementNS(own, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  for (const part of content)
    if (part !== null)
      element.append(typeof part === "string" || part instanceof Element ? part : make(part, own));
  return element;
}

const XHTML = "http://www.w3.org/1999/xhtml";

/** Draws a text with its names between backticks as code. */
export function prose(text: string): Drawn {
  const parts = text.split("`");
  return [
    "span",
    {},
    ...parts.map((part, index) => (index % 2 === 1 ? (["code", {}, part] as const) : part)),
  ];
}
