import { declared, publishedDialect } from "@insurance-gateway/adapter";
import { loadProviderPackage } from "@insurance-gateway/adapter/installation";
import {
  defineProvider,
  type Endpoint,
  type Quote,
  quote,
  type Schema,
} from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { digits, integer, oneOf, strict, string, zod } from "@insurance-gateway/core/schema";
import fc from "fast-check";
import * as z from "zod/mini";
import { createValidate } from "../../src/routing/validate.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import * as contents from "../insurers/drift/insurer-contents.ts";
import { adapterOf, repository, type SpeakingInsurer, speakTo } from "./speaking.ts";

/** Returns a hostile message of about the given number of characters. */
export type HostileShape = (characters: number) => string;

/** Messages of one dialect, and the code that reads them. */
export interface HostileTarget {
  readonly shapes: fc.Arbitrary<HostileShape>;
  /** Lets the gateway read a message. Returns the number of characters of the result. */
  readonly read: (message: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

interface Tree {
  readonly name: string;
  readonly number: string;
  readonly flag: number;
  readonly next?: Tree;
}
const provider = "provider-x";
const tree: Schema<Tree> = oneOf(
  ...[0, 1, 2].map((flag) =>
    zod(
      strict<Tree>({
        name: string({ maxLength: 200, pattern: /^[^@]+@[^@]+\.[^@]+$/ }),
        number: digits(),
        flag: integer({ minimum: flag, maximum: flag }),
        get next() {
          return z.exactOptional(zod(tree));
        },
      }),
    ),
  ),
);
const price: Quote<{ body: Tree; response: Tree }> = quote({
  provider,
  path: "/price",
  body: tree,
  response: { 200: tree },
});
const imported = defineProvider({
  id: provider,
  name: "X",
  lines: ["motor"],
  endpoints: { price },
});
const treeContent = {
  name: "a@b.c",
  number: 7,
  flag: 2,
  next: { name: "a@b.c", number: 7, flag: 2 },
};

/** Functions that start the reader of each dialect, with the content of a valid answer. */
const answers = {
  "json of provider-a": jsonOf("a", "listBrands", contents.brands),
  "json of provider-b": jsonOf("b", "listCountries", contents.countries),
  "json of provider-d": jsonOf("d", "searchApplications", contents.applications),
  soap: () => soapTarget(),
  declared: async () =>
    answerTarget(speakAs(declared), await endpointOf("d", "searchApplications"), {
      type: "application/json",
      shapes: jsonShapes(contents.declaredPage),
    }),
  published: async () =>
    answerTarget(speakAs(publishedDialect(imported, { calls: {} })), price, {
      type: "application/json",
      shapes: jsonShapes(treeContent, levelsOf(7)),
    }),
  "a request": requestTarget,
} satisfies Readonly<Record<string, () => Promise<HostileTarget>>>;

/** The names of the dialects. */
export const dialects: readonly string[] = Object.keys(answers);

/** Starts the code that reads the messages of a dialect. */
export function startTarget(name: string): Promise<HostileTarget> {
  const start = Object.entries(answers).find(([known]) => known === name)?.[1];
  if (start === undefined) throw new TypeError(name);
  return start();
}

type Speak = (baseUrl: string) => SpeakingInsurer;

function speakAs(adapter: Parameters<typeof speakTo>[1]): Speak {
  return (baseUrl) => speakTo(baseUrl, adapter);
}

function jsonOf(letter: string, name: string, content: object) {
  return async (): Promise<HostileTarget> =>
    answerTarget(speakAs(await adapterOf(letter)), await endpointOf(letter, name), {
      type: "application/json",
      shapes: jsonShapes(content),
    });
}

async function soapTarget(): Promise<HostileTarget> {
  return answerTarget(speakAs(await adapterOf("c")), await endpointOf("c", "listVehicleUsages"), {
    type: "text/xml",
    shapes: xmlShapes,
  });
}

async function endpointOf(letter: string, name: string): Promise<Endpoint> {
  const loaded = await loadProviderPackage(repository, `@insurance-gateway/provider-${letter}`);
  if ("fault" in loaded) throw new TypeError(loaded.fault);
  const endpoint = Object.entries<Endpoint>(loaded.provider.endpoints).find(
    ([known]) => known === name,
  )?.[1];
  if (endpoint === undefined) throw new TypeError(name);
  return endpoint;
}

async function answerTarget(
  speak: Speak,
  endpoint: Endpoint,
  { shapes, type }: { readonly shapes: fc.Arbitrary<HostileShape>; readonly type: string },
): Promise<HostileTarget> {
  let message = "";
  const insurer: Insurer = await startInsurer((response) => {
    response.writeHead(200, { "content-type": type }).end(message);
  });
  const speaking = speak(insurer.baseUrl);
  const query = endpoint.kind === "search" ? { clientAfm: "123456789", start: 1, limit: 20 } : {};
  const body = endpoint.kind === "quote" ? { name: "a@b.c", number: "7", flag: 0 } : undefined;
  return {
    shapes,
    async read(given) {
      message = given;
      insurer.arrivals.length = 0;
      const answer = await speaking.call(endpoint, { query, body });
      return answer instanceof Refusal ? 0 : String(answer.content).length;
    },
    async close() {
      await speaking.close();
      await insurer.close();
    },
  };
}

function requestTarget(): Promise<HostileTarget> {
  const validate = createValidate(price);
  return Promise.resolve({
    shapes: jsonShapes({ ...treeContent, number: "7" }, levelsOf("7")),
    read(message) {
      const body = { type: "bytes", bytes: Buffer.from(message) } as const;
      try {
        const { body: value } = validate({
          params: {},
          search: "",
          headers: {},
          body,
          mediaType: "application/json",
          jsonDepth: 32,
        });
        return Promise.resolve(JSON.stringify(value).length);
      } catch (error) {
        if (error instanceof Refusal) return Promise.resolve(0);
        throw error;
      }
    },
    close: () => Promise.resolve(),
  });
}

/** Marks the place of the hostile part in a message. */
const PLACE = "HOSTILE-PLACE";

const texts = fc.oneof(
  fc.constantFrom("a", "1:11", "2026-11-29T08:00:00Z", "9", " ", "a@b.", "<", "-", "=".repeat(3)),
  fc.constantFrom(String.raw`\ud83d`, String.raw`\u0000`, String.raw`\n`, "Ω", "\u{F0000}0", "😀"),
  fc.stringMatching(/^[ -!#-[\]-~]{1,6}$/),
);

/** The beginning and the end of one level of recursive alternatives. */
type Levels = readonly [open: string, close: string];

function levelsOf(number: unknown): Levels {
  const [open = "", close = ""] = JSON.stringify({ ...treeContent, number, next: PLACE }).split(
    `"${PLACE}"`,
  );
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
    texts.map(
      (text): HostileShape =>
        (size) =>
          `"${repeated(text, size)}"`,
    ),
    values.map(
      (value): HostileShape =>
        (size) =>
          `[${repeated(`${value},`, size)}${value}]`,
    ),
    values.map(
      (value): HostileShape =>
        (size) => {
          const count = Math.ceil(size / (value.length + 10));
          const fields = Array.from({ length: count }, (_, index) => `"k${index}":${value}`);
          return `{${fields.join(",")}}`;
        },
    ),
    fc.tuple(openings, values).map(
      ([[open, close], value]): HostileShape =>
        (size) => {
          const count = Math.ceil(size / (open.length + close.length));
          return open.repeat(count) + value + close.repeat(count);
        },
    ),
    fc.constantFrom("9", "0", "1.", "-").map(
      (digit): HostileShape =>
        (size) =>
          repeated(digit, size),
    ),
    texts.map(
      (text): HostileShape =>
        (size) =>
          repeated(text, size),
    ),
  );
}

/** Returns messages with valid content in which a hostile part replaces one value or the whole content. */
function jsonShapes(content: object, ...levels: readonly Levels[]): fc.Arbitrary<HostileShape> {
  const places = placesIn(content);
  const known = places.map(({ value }) => value);
  return fc
    .tuple(
      fc.constantFrom(...places.map(({ message }) => message), PLACE),
      jsonParts(known, levels),
    )
    .map(
      ([message, part]): HostileShape =>
        (size) =>
          message.replace(PLACE, () => part(size)),
    );
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

const xmlShapes: fc.Arbitrary<HostileShape> = fc
  .tuple(
    fc.constantFrom(
      contents.soapAnswer(contents.usages.replace("Private car", PLACE)),
      contents.soapAnswer(contents.usages.replace(">00<", `>${PLACE}<`)),
      contents.soapAnswer(contents.usages + PLACE),
      contents.soapAnswer(PLACE),
      PLACE,
    ),
    fc.oneof(
      fc
        .oneof(
          fc.constantFrom(
            "&#xF0000;",
            "&#65;",
            "&amp;",
            "&#0;",
            "&#xD83D;",
            "&",
            "&lt;b&gt;",
            "\r\n",
          ),
          fc.constantFrom(
            "<b/>",
            "<b></b>",
            "x<b/>",
            "<!-- -->",
            "<!--",
            "<![CDATA[x]]>",
            "<![CDATA[",
          ),
          fc.constantFrom(
            '<b xmlns:p="u"/>',
            '<b a="1"/>',
            "<?x?>",
            "<?x ",
            ">",
            "<",
            "]]>",
            contents.usages,
          ),
          fc.constantFrom("a", "1:11", "JVBERi0x", "Ω", " "),
          fc.stringMatching(/^[ -%'-;=-~]{1,6}$/),
        )
        .map(
          (unit): HostileShape =>
            (size) =>
              repeated(unit, size),
        ),
      fc.constantFrom(["<b>", "</b>"], ['<b xmlns="u">', "</b>"]).map(
        ([open, close]): HostileShape =>
          (size) => {
            const count = Math.ceil(size / (open.length + close.length));
            return open.repeat(count) + close.repeat(count);
          },
      ),
      fc.constantFrom("", "=", '=""', '="&#65;"').map(
        (end): HostileShape =>
          (size) => {
            const count = Math.ceil(size / (8 + end.length));
            return `<b ${Array.from({ length: count }, (_, index) => `a${index}${end}`).join(" ")}/>`;
          },
      ),
    ),
  )
  .map(
    ([message, part]): HostileShape =>
      (size) =>
        message.replace(PLACE, () => part(size)),
  );

function repeated(unit: string, characters: number): string {
  return unit.repeat(Math.ceil(characters / unit.length));
}
