/** Markup that is safe to insert into a page. */
export interface Html {
  readonly markup: string;
}

/** A value in a template: texts are escaped, markup is inserted unchanged, lists are joined, and null is empty. */
export type Part = string | number | Html | null | readonly Part[];

/** Builds markup; inserted texts are escaped. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = fixed.map((text, index) => text + markupOf(parts[index] ?? null)).join("");
  return { markup };
}

/** Marks a text as markup. */
export function trusted(markup: string): Html {
  return { markup };
}

function markupOf(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return "markup" in part ? part.markup : part.map(markupOf).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Renders prose with `code` between backticks. */
export function prose(text: string): Html {
  return trusted(escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>"));
}
