/** A description of an element: its tag, its attributes and its content. Strings become text nodes; null is omitted. */
export type Drawn = readonly [
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...content: (Drawn | Element | string | null)[],
];

/** Creates the element with its content. Elements inside `svg` are SVG elements. */
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

/** Draws a text with the names between backticks as code. */
export function prose(text: string): Drawn {
  const parts = text.split("`");
  return [
    "span",
    {},
    ...parts.map((part, index) => (index % 2 === 1 ? (["code", {}, part] as const) : part)),
  ];
}
