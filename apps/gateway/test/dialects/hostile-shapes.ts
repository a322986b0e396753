import fc from "fast-check";
import * as contents from "../insurers/drift/insurer-contents.ts";

/** Returns a hostile message of about the given number of characters. */
export type HostileShape = (characters: number) => string;

/** Marks the place of the hostile part in a message. */
const PLACE = "HOSTILE-PLACE";

const texts = fc.oneof(
  fc.constantFrom("a", "1:11", "2026-11-29T08:00:00Z", "9", " ", "a@b.", "<", "-", "=".repeat(3)),
  fc.constantFrom(String.raw`\ud83d`, String.raw`\u0000`, String.raw`\n`, "Ω", "\u{F0000}0", "😀"),
  fc.stringMatching(/^[ -!#-[\]-~]{1,6}$/),
);

/** The beginning and the end of one level of nested values. */
export type Levels = readonly [open: string, close: string];

/** Returns the beginning and the end of an object around the value of its field `name`. */
export function levelsAround(content: object, name: string): Levels {
  const [open = "", close = ""] = JSON.stringify({ ...content, [name]: PLACE }).split(`"${PLACE}"`);
  return [open, close];
}

/** Returns generators of hostile JSON values, which grow with the requested size. */
function jsonParts(
  known: readonly string[],
  levels: readonly Levels[],
): fc.Arbitrary<HostileShape> {
  const values = fc.oneof(
    fc.constantFrom("1", "null", '"x"', "{}", "[]", '{"a":[1]}', "12345678901234567890", "1e400"),
    known.length === 0 ? fc.constant("0") : fc.constantFrom(...known),
    texts.map((text) => `"${text}"`),
  );
  const openings = fc.constantFrom<Levels[]>(
    ["[", "]"],
    ['{"a":', "}"],
    ['[{"items":', "}]"],
    ...levels,
  );
  return fc.oneof(
    texts.map<HostileShape>((text) => (size) => `"${repeated(text, size)}"`),
    values.map<HostileShape>((value) => (size) => `[${repeated(`${value},`, size)}${value}]`),
    values.map<HostileShape>((value) => (size) => {
      const count = Math.ceil(size / (value.length + 10));
      return `{${Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(",")}}`;
    }),
    fc.tuple(openings, values).map<HostileShape>(
      ([level, value]) =>
        (size) =>
          nested(level, size, value),
    ),
    fc
      .oneof(fc.constantFrom("9", "0", "1.", "-"), texts)
      .map<HostileShape>((text) => (size) => repeated(text, size)),
  );
}

/** Returns messages with valid content in which a hostile part replaces one value or the whole content. */
export function jsonShapes(
  content: object,
  ...levels: readonly Levels[]
): fc.Arbitrary<HostileShape> {
  const places = placesIn(content);
  const known = places.map(({ value }) => value);
  return shapesOf([...places.map(({ message }) => message), PLACE], jsonParts(known, levels));
}

/** Returns one pair for each value of the content: a copy with the marker instead of the value, and the value. */
function placesIn(
  content: unknown,
): readonly { readonly message: string; readonly value: string }[] {
  if (typeof content !== "object" || content === null) return [];
  return Object.entries(content).flatMap(([name, value]) => {
    const put = (inner: string): string =>
      JSON.stringify(
        Array.isArray(content)
          ? content.map((item, index) => (String(index) === name ? PLACE : item))
          : { ...content, [name]: PLACE },
      ).replace(`"${PLACE}"`, () => inner);
    return [
      { message: put(PLACE), value: JSON.stringify(value) },
      ...placesIn(value).map((inner) => ({ ...inner, message: put(inner.message) })),
    ];
  });
}

/** The generator of hostile XML messages. */
export const xmlShapes: fc.Arbitrary<HostileShape> = shapesOf(
  [
    contents.soapAnswer(contents.usages.replace("Private car", PLACE)),
    contents.soapAnswer(contents.usages.replace(">00<", `>${PLACE}<`)),
    contents.soapAnswer(contents.usages + PLACE),
    contents.soapAnswer(PLACE),
    PLACE,
  ],
  fc.oneof(
    fc
      .oneof(
        fc.constantFrom(..."&#xF0000; &#65; &amp; &#0; &#xD83D; & &lt;b&gt; \r\n".split(" ")),
        fc.constantFrom(
          "<!-- -->",
          ..."<b/> <b></b> x<b/> <!-- <![CDATA[x]]> <![CDATA[".split(" "),
        ),
        fc.constantFrom('<b xmlns:p="u"/>', '<b a="1"/>', "<?x?>", "<?x "),
        fc.constantFrom(">", "<", "]]>", contents.usages),
        fc.constantFrom("a", "1:11", "JVBERi0x", "Ω", " "),
        fc.stringMatching(/^[ -%'-;=-~]{1,6}$/),
      )
      .map<HostileShape>((unit) => (size) => repeated(unit, size)),
    fc
      .constantFrom<Levels[]>(["<b>", "</b>"], ['<b xmlns="u">', "</b>"])
      .map<HostileShape>((level) => (size) => nested(level, size)),
    fc.constantFrom("", "=", '=""', '="&#65;"').map<HostileShape>((end) => (size) => {
      const count = Math.ceil(size / (8 + end.length));
      return `<b ${Array.from({ length: count }, (_, index) => `a${index}${end}`).join(" ")}/>`;
    }),
  ),
);

/** Returns messages in which a hostile part replaces the marker. */
function shapesOf(
  messages: readonly string[],
  parts: fc.Arbitrary<HostileShape>,
): fc.Arbitrary<HostileShape> {
  return fc.tuple(fc.constantFrom(...messages), parts).map<HostileShape>(
    ([message, part]) =>
      (size) =>
        message.replace(PLACE, () => part(size)),
  );
}

function nested([open, close]: Levels, characters: number, value = ""): string {
  const count = Math.ceil(characters / (open.length + close.length));
  return open.repeat(count) + value + close.repeat(count);
}

function repeated(unit: string, characters: number): string {
  return unit.repeat(Math.ceil(characters / unit.length));
}
