import {
  type Codec,
  codes,
  dateText,
  type JsonCall,
  type Mapping,
  optional,
  plainText,
  readMapped,
  writeMapped,
} from "@insurance-gateway/adapter";
import {
  type AnySandbox,
  type DialectAnswer,
  defineSandbox,
  jsonAnswer,
  type RawAnswer,
} from "@insurance-gateway/adapter/sandbox";
import {
  type Document,
  defineProvider,
  document,
  type Lookup,
  lookup,
  type OpenEnum,
  type Provider,
  pdf,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { date, joined, loose, openEnum, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";
import type { ConformanceSubject } from "../src/index.ts";

interface Policy {
  holder: string;
  city: string;
  from: string;
  note?: string;
}
interface Made extends Policy {
  state: OpenEnum<"OPEN" | "CLOSED">;
}
interface Models {
  items: string[];
}
interface Endpoints {
  readonly createPolicy: Submission<{ body: Policy; response: Made }>;
  readonly listModels: Lookup<{ query: { ids: string[] }; response: Models }>;
  readonly terms: Document<{ query: { id: string } }>;
}
const fields = { holder: text(), city: text(), from: date(), note: z.exactOptional(text()) };
const createPolicy: Endpoints["createPolicy"] = submission({
  provider: "provider-m",
  path: "/policies",
  body: strict<Policy>(fields),
  response: { 201: loose<Made>({ ...fields, state: openEnum("OPEN", "CLOSED") }) },
  idempotency: "none",
  settleAfterMs: 60_000,
});
const listModels: Endpoints["listModels"] = lookup({
  provider: "provider-m",
  path: "/models",
  query: strict<{ ids: string[] }>({
    ids: joined(z.array(z.string().check(z.regex(/^[A-Z]{2}$/))).check(z.minLength(2))),
  }),
  response: { 200: loose<Models>({ items: z.array(z.string()) }) },
});
const terms: Endpoints["terms"] = document({
  provider: "provider-m",
  path: "/terms",
  query: strict<{ id: string }>({ id: text() }),
  files: [pdf],
});
export const provider: Provider<Endpoints> = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  endpoints: { createPolicy, listModels, terms },
});

export const policyRows: Mapping = [
  ["/holder", "/name", plainText],
  ["/city", "/town", plainText],
  ["/from", "/since", dateText("dd/MM/yyyy")],
  ["/note", "/remark", optional(plainText)],
];
export const madeRows: Mapping = [
  ...policyRows,
  ["/state", "/state", codes({ O: "OPEN", C: "CLOSED" })],
];
export const listed: Codec = {
  write: (ours) => (Array.isArray(ours) ? ours.join("|") : undefined),
  read: (theirs) => theirs,
};

export type Calls = Readonly<Record<keyof Endpoints, JsonCall>>;

export const calls: Calls = {
  createPolicy: {
    method: "POST",
    path: "/api/policies",
    body: [{ group: ["/body", ""], fields: policyRows }],
    value: madeRows,
  },
  listModels: {
    method: "GET",
    path: "/api/models",
    query: [["/query/ids", "/ids", listed]],
    value: [["/items", "/models"]],
  },
  terms: {
    method: "GET",
    path: "/api/terms/{/query/id}",
    document: { base64: "/file", mediaType: "application/pdf" },
  },
};

const written =
  (status: number, rows: Mapping) =>
  (answer: DialectAnswer): RawAnswer => {
    const mapped = writeMapped(rows, "body" in answer ? answer.body : null);
    return mapped.fits ? jsonAnswer(status, mapped.value) : jsonAnswer(500, {});
  };

export const sandbox: AnySandbox = defineSandbox<Provider<Endpoints>>({
  provider,
  seed: [],
  scenarios: [],
  handlers: {
    createPolicy: ({ input }) => ({ status: 201, body: { ...input.body, state: "OPEN" } }),
    listModels: ({ input }) => ({ status: 200, body: { items: input.query.ids } }),
    terms: () => ({ status: 404, problem: { code: "DOCUMENT_NOT_FOUND", detail: "" } }),
  },
  dialect: {
    routes: [
      {
        method: "POST",
        path: "/api/policies",
        read({ body }) {
          const mapped = readMapped(policyRows, JSON.parse(body));
          return mapped.fits
            ? { call: { endpoint: "createPolicy", input: { body: mapped.value } } }
            : { answer: jsonAnswer(400, { field: mapped.at }) };
        },
        write: written(201, madeRows),
      },
      {
        method: "GET",
        path: "/api/models",
        read: ({ query }) => ({
          call: {
            endpoint: "listModels",
            input: { query: { ids: query.get("ids")?.split("|") } },
          },
        }),
        write: written(200, [["/items", "/models"]]),
      },
      {
        method: "GET",
        path: "/api/terms/{id}",
        read: ({ params: { id } }) => ({ call: { endpoint: "terms", input: { query: { id } } } }),
        write: (answer) =>
          "file" in answer
            ? jsonAnswer(200, { file: Buffer.from(answer.file).toString("base64") })
            : jsonAnswer(404, {}),
      },
    ],
  },
});

const ipid = {
  reference: "1",
  manufacturer: { name: "", memberState: "", regulatoryStatus: "", authorisationNumber: "" },
  product: "",
  statement: "",
  type: "",
  insured: [],
  optional: [],
  notInsured: [],
  restrictions: [],
  where: [],
  obligations: [],
  payment: "",
  period: "",
  cancellation: "",
};
export const drawing: AnySandbox = {
  ...sandbox,
  handlers: { ...sandbox.handlers, terms: () => ({ status: 200, document: ipid }) },
};

const policy: Policy = { holder: "Ελένη", city: "Βόλος", from: "2026-05-04" };
export const examples: ConformanceSubject["examples"] = {
  createPolicy: {
    one: { summary: "", request: { body: policy }, response: { ...policy, state: "OPEN" } },
  },
  listModels: {
    one: { summary: "", request: { query: { ids: ["AB", "CD"] } }, response: { items: [] } },
  },
  terms: { one: { summary: "", request: { query: { id: "1" } }, response: undefined } },
};
