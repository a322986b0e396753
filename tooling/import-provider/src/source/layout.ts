/**
 * Source text with possible line breaks: a group is written on one line if it fits, otherwise with one item per line.
 */
export type Layout = string | readonly Layout[] | Group | Member;

/** A member of an object. A text that does not fit beside its name is written below the name. */
interface Member {
  readonly name: string;
  readonly value: Layout;
}

interface Group {
  readonly open: string;
  readonly items: readonly Layout[];
  readonly close: string;
  /** The separator between items. With `trailing`, also after the last item of a group in several lines. */
  readonly separator: string;
  readonly trailing: boolean;
  /**
   * True if only the last item is broken into lines while the other items fit on the first line: `list(zod(policy), {`.
   */
  readonly hugsLast: boolean;
  /** True if the group always has several lines. */
  readonly broken: boolean;
  /** The text between the brackets and the items of a group on one line. */
  readonly padding: "" | " ";
}

/** The line width of the repository's formatter. */
const WIDTH = 100;

/** Returns a call with its arguments: `name(a, b)`. */
export function call(name: string, ...items: readonly Layout[]): Layout {
  const last = items.at(-1);
  const hugsLast = isGroup(last) && (last.open === "{" || last.open === "[");
  return [
    name,
    {
      open: "(",
      items,
      close: ")",
      separator: ",",
      trailing: true,
      hugsLast,
      broken: false,
      padding: "",
    },
  ];
}

/** Returns an object literal. `null` members are omitted; a member without a name is written unchanged. */
export function object(
  members: readonly (readonly [name: string, value: Layout] | null)[],
  broken = false,
): Layout {
  const items = members
    .filter((member) => member !== null)
    .map(([name, value]): Layout => (name === "" ? value : { name, value }));
  if (items.length === 0) return "{}";
  return {
    open: "{",
    items,
    close: "}",
    separator: ",",
    trailing: true,
    hugsLast: false,
    broken,
    padding: " ",
  };
}

/** Returns a list literal. */
export function array(items: readonly Layout[], broken = false): Layout {
  return {
    open: "[",
    items,
    close: "]",
    separator: ",",
    trailing: true,
    hugsLast: false,
    broken,
    padding: "",
  };
}

/** Returns a type literal with its members: `{ body: X; response: Y }`. */
export function typeLiteral(members: readonly (readonly [name: string, type: Layout])[]): Layout {
  if (members.length === 0) return "Record<never, never>";
  const items = members.map(([name, type]): Layout => [`${name}: `, type]);
  return {
    open: "{",
    items,
    close: "}",
    separator: ";",
    trailing: true,
    hugsLast: false,
    broken: false,
    padding: " ",
  };
}

/** Returns a getter of an object literal that returns a value. */
export function getter(name: string, value: Layout): Layout {
  return {
    open: `get ${propertyName(name)}() {`,
    items: [["return ", value]],
    close: "}",
    separator: ";",
    trailing: true,
    hugsLast: false,
    broken: true,
    padding: " ",
  };
}

/** Returns an expression for any JSON value. */
export function literal(value: unknown): Layout {
  if (Array.isArray(value)) return array(value.map(literal));
  if (typeof value !== "object" || value === null) return scalar(value);
  return object(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [propertyName(name), literal(member)]),
    true,
  );
}

/** Returns a scalar as TypeScript source without invisible characters. */
export function scalar(value: unknown): string {
  const text = escapeInvisible(JSON.stringify(value));
  const isText = typeof value === "string";
  if (!isText || value.split('"').length <= value.split("'").length) return text;
  const inside = text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inside}'`;
}

/** Matches control characters, invisible characters and characters that change the direction of text. */
const INVISIBLE_CHARACTERS =
  /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u2069\ufeff]/g;

/** Replaces invisible characters by JavaScript escapes. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE_CHARACTERS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Returns the name of a property, quoted if necessary. */
export function propertyName(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : scalar(name);
}

/**
 * Returns the source text of a layout, with line breaks.
 * @param column - the column at which the layout begins
 * @param after - the number of characters that follow the layout on its last line
 */
export function print(layout: Layout, indent = 0, column: number = indent, after = 0): string {
  if (typeof layout === "string") return layout;
  if (isMember(layout)) return printMember(layout, indent, column, after);
  if (isGroup(layout)) return printGroup(layout, indent, column, after);
  let text = "";
  for (const [index, part] of layout.entries())
    text += print(part, indent, endOf(text, column), index === layout.length - 1 ? after : 0);
  return text;
}

function printMember(
  { name, value }: Member,
  indent: number,
  column: number,
  after: number,
): string {
  const fits =
    typeof value !== "string" || column + name.length + 2 + value.length + after <= WIDTH;
  if (fits || name.length < 5 || !/^["'`]/.test(value))
    return `${name}: ${print(value, indent, column + name.length + 2, after)}`;
  return `${name}:\n${" ".repeat(indent + 2)}${value}`;
}

function printGroup(group: Group, indent: number, column: number, after: number): string {
  const { close, hugsLast, items, open, separator, trailing } = group;
  if (items.length === 0) return open + close;
  const flat = flatten(group);
  if (flat !== null && column + flat.length + after <= WIDTH) return flat;
  if (hugsLast) {
    const before = items.slice(0, -1).map(flatten);
    const last = items.at(-1) ?? "";
    const head = open + before.map((item) => `${item}${separator} `).join("");
    if (before.every((item) => item !== null) && column + head.length < WIDTH)
      return `${head}${print(last, indent, column + head.length, after + close.length)}${close}`;
  }
  const inner = indent + 2;
  const lines = items.map((item, index) => {
    const end = index < items.length - 1 || trailing ? separator : "";
    return `${" ".repeat(inner)}${print(item, inner, inner, end.length)}${end}`;
  });
  return `${open}\n${lines.join("\n")}\n${" ".repeat(indent)}${close}`;
}

/**
 * Writes the declaration of an exported constant with the formatter's line breaks: in the value, after the equals sign,
 * or in the type.
 */
export function exportedConstant(
  name: string,
  type: string,
  argument: Layout,
  value: Layout,
): string {
  const typed = flatten([`export const ${name}: ${type}<`, argument, "> ="]) ?? "";
  const inline = print(value, 0, typed.length + 1, 1);
  const [first = ""] = inline.split("\n");
  if (`${typed} ${first}`.length <= WIDTH) return `${typed} ${inline};\n`;
  // The formatter never breaks a line at a type that is a single name.
  const isName = typeof argument === "string" && /^\w+$/.test(argument);
  if (typed.length <= WIDTH || isName) return `${typed}\n  ${print(value, 2)};\n`;
  const broken = isGroup(argument)
    ? print({ ...argument, broken: true })
    : `\n  ${print(argument, 2)}\n`;
  return `export const ${name}: ${type}<${broken}> = ${print(value, 0)};\n`;
}

/** Writes a layout on one line; returns null if that is impossible. */
function flatten(layout: Layout): string | null {
  if (typeof layout === "string") return layout.includes("\n") ? null : layout;
  if (isMember(layout)) {
    const value = flatten(layout.value);
    return value === null ? null : `${layout.name}: ${value}`;
  }
  if (!isGroup(layout)) {
    const parts = layout.map(flatten);
    return parts.every((part) => part !== null) ? parts.join("") : null;
  }
  if (layout.broken) return null;
  const items = layout.items.map(flatten);
  if (!items.every((item) => item !== null)) return null;
  const { close, open, padding, separator } = layout;
  return open + padding + items.join(`${separator} `) + padding + close;
}

function isGroup(layout: Layout | undefined): layout is Group {
  return typeof layout === "object" && "open" in layout;
}

function isMember(layout: Layout): layout is Member {
  return typeof layout === "object" && "name" in layout;
}

function endOf(text: string, column: number): number {
  const line = text.lastIndexOf("\n");
  return line === -1 ? column + text.length : text.length - line - 1;
}
