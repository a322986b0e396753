import { type Adapter, publishedDialect } from "@insurance-gateway/adapter";
import {
  defineProvider,
  type Endpoint,
  lookup,
  read,
  type Schema,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  byValue,
  digits,
  integer,
  joined,
  list,
  loose,
  map,
  oneOf,
  strict,
  string,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "provider-x";

interface Part {
  id: string;
  parts?: Part[];
  name?: string;
}
const part: Schema<Part> = loose<Part>({
  id: digits(),
  get parts() {
    return z.exactOptional(list(zod(part)));
  },
  name: z.exactOptional(string()),
});

interface Numbered {
  kind: "numbered";
  no: string;
}
interface Named {
  kind: "named";
  no: string;
}
interface Counted {
  kind: "counted";
  no: number;
}
const counted = loose<Counted>({ kind: z.literal("counted"), no: integer() });
const numbered = loose<Numbered>({ kind: z.literal("numbered"), no: digits() });
const named = loose<Named>({ kind: z.literal("named"), no: string() });

/** The numbers that an answer and a request have. */
export interface Numbers {
  part: Part;
  byName: Record<string, string>;
  either: string | boolean;
  owner: Numbered | Named | Counted;
  none: string | null;
  count: number;
}
const shape = {
  part: zod(part),
  byName: map(digits()),
  either: oneOf(digits(), z.boolean()),
  owner: byValue("kind", { numbered: zod(numbered), named: zod(named), counted: zod(counted) }),
  none: z.nullable(digits()),
  count: integer(),
};

const declared = {
  listCovers: lookup<{
    params: { product_id: string };
    query: object;
    headers: { language?: string; session: string; "x-trace"?: string };
    response: object;
  }>({
    provider,
    path: "/covers/{product_id}",
    params: strict({ product_id: string({ minLength: 1 }) }),
    query: zodSchema(
      z.strictObject({
        ids: z.exactOptional(list(integer(), { minItems: 1 })),
        tags: z.exactOptional(list(string(), { minItems: 1 })),
        near: z.exactOptional(
          z.strictObject({ lat: z.number(), lon: z.exactOptional(z.number()) }),
        ),
        filter: z.exactOptional(
          z.strictObject({ owner: digits(), name: z.exactOptional(string()) }),
        ),
        deep: z.exactOptional(z.strictObject({ from: string() })),
        more: z.exactOptional(list(string(), { minItems: 1 })),
        csv: z.exactOptional(joined(list(string(), { minItems: 1 }))),
      }),
    ),
    headers: strict<{ language?: string; session: string; "x-trace"?: string }>({
      language: z.exactOptional(string()),
      session: string(),
      "x-trace": z.exactOptional(string()),
    }),
    response: { 200: loose<object>({}) },
  }),
  createNumbers: submission<{ body: Numbers; response: Numbers }>({
    provider,
    path: "/numbers",
    body: strict<Numbers>(shape),
    response: { 200: loose<Numbers>(shape) },
    keyAt: { query: "ref" },
  }),
  readPlain: read<{ response: { id: string } }>({
    provider,
    path: "/plain",
    response: { 200: loose<{ id: string }>({ id: string() }) },
  }),
  compareVersions: read<{ params: { from: string; to: string }; response: object }>({
    provider,
    path: "/compare/{from}/{to}",
    params: strict({ from: string(), to: string() }),
    response: { 200: loose<object>({}) },
  }),
  findAll: search<{ query: { after?: string; q?: string }; item: Part; page: Part[] }>({
    provider,
    path: "/all",
    query: strict<{ after?: string; q?: string }>({
      after: z.exactOptional(string()),
      q: z.exactOptional(string()),
    }),
    page: zodSchema(list(zod(part))),
    paging: { style: "link", position: "after", size: { usual: 2 }, items: "" },
  }),
};

/** Its endpoints, by name. */
export const endpoints: Readonly<
  Record<"compareVersions" | "createNumbers" | "findAll" | "listCovers" | "readPlain", Endpoint>
> = declared;

/** The provider whose declarations were imported. */
const providerX = defineProvider({
  id: provider,
  name: "Provider X",
  lines: [],
  endpoints: declared,
});

/** The adapter that speaks it. */
export const adapter: Adapter = publishedDialect(providerX, {
  calls: {
    listCovers: {
      path: "/v2/{agency}/Covers('{product_id}')/{version}",
      query: {
        ids: { name: "id[]", style: "pipes" },
        tags: { style: "spaces" },
        near: { style: "fields" },
        filter: { name: "$filter", style: "json" },
        deep: { name: "Deep" },
        more: { name: "More" },
      },
      headers: { language: "accept-language" },
      cookies: { session: "JSESSIONID" },
      settings: {
        path: { agency: "agencyCode" },
        query: { "api-version": "version", absent: "nothing" },
        headers: { "x-agency": "agencyCode" },
        cookies: { AGENCY: "agencyCode" },
      },
      constants: { query: { format: "json" }, headers: { "x-client": "broker" } },
    },
    compareVersions: { path: "/compare/{from}...{to}" },
    findAll: { query: { after: { name: "page_token" }, q: { name: "Q" } } },
  },
  failures: [
    { status: 404, code: "RESOURCE_NOT_FOUND", outcome: "rejected", why: "The document says so." },
  ],
});

/** The adapter of an insurer that has a setting in a path, before a parameter. */
export const withAgencyInPath: Adapter = publishedDialect(providerX, {
  calls: {
    compareVersions: {
      path: "/compare/{from}/{agency}...{to}",
      settings: { path: { agency: "agencyCode" } },
    },
  },
});
