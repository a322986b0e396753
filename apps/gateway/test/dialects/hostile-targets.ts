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
import type fc from "fast-check";
import * as z from "zod/mini";
import { createValidate } from "../../src/routing/validate.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import * as contents from "../insurers/drift/insurer-contents.ts";
import { type HostileShape, jsonShapes, levelsAround, xmlShapes } from "./hostile-shapes.ts";
import { adapterOf, repository, type SpeakingInsurer, speakTo } from "./speaking.ts";

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

/**
 * Functions that start the reader of each dialect. The hostile messages are derived from the content of a valid
 * message.
 */
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
      shapes: jsonShapes(treeContent, levelsAround(treeContent, "next")),
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
  const content = { ...treeContent, number: "7" };
  return Promise.resolve({
    shapes: jsonShapes(content, levelsAround(content, "next")),
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
