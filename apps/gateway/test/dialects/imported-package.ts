import { publishedDialect } from "@insurance-gateway/adapter";
import { simulated } from "@insurance-gateway/adapter/sandbox";
import {
  type Document,
  defineProvider,
  document,
  type FilePart,
  type Lookup,
  lookup,
  none,
  type Provider,
  pdf,
  type Read,
  read,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  anything,
  digits,
  file,
  integer,
  list,
  loose,
  number,
  strict,
  string,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "provider-y";

/** A policy as the insurer's document has it: its identifier is a number of 64 bits. */
export interface Policy {
  policyId: string;
  holder: { name: string; email?: string };
  premium: number;
  extra?: unknown;
}
const shape = {
  policyId: digits(),
  holder: z.looseObject({
    name: string({ minLength: 1 }),
    email: z.exactOptional(string({ format: "email", annotated: true })),
  }),
  premium: number({ minimum: 0, multipleOf: 0.01 }),
  extra: z.exactOptional(anything()),
};
const policy: Schema<Policy> = loose<Policy>(shape);

/** What a policy is applied for with. */
export interface PolicyRequest {
  holder: { name: string; email?: string };
  premium: number;
  agent: string;
}
const policyRequest: Schema<PolicyRequest> = strict<PolicyRequest>({
  holder: z.strictObject({
    name: string({ minLength: 1, maxLength: 80 }),
    email: z.exactOptional(string({ format: "email" })),
  }),
  premium: number({ minimum: 0, multipleOf: 0.01 }),
  agent: digits(),
});

interface Covers {
  covers: { code: string; limits: number[] }[];
}
interface PageByNumber {
  content: Policy[];
  totalElements: number;
  number: number;
}
interface PageByCursor {
  data: Policy[];
  next?: string;
}

const path = strict<{ policyId: string }>({ policyId: digits() });
const size = z.exactOptional(integer({ minimum: 1, maximum: 50 }));

/** An endpoint of every kind that a document can have. */
export const endpoints: {
  readonly listCovers: Lookup<{
    query: { codes?: string[] };
    headers: { session: string };
    response: Covers;
  }>;
  readonly readPolicy: Read<{ params: { policyId: string }; response: Policy }>;
  readonly readNotes: Read<{ params: { policyId: string }; response: string }>;
  readonly findPolicies: Search<{
    query: { page?: number; size?: number };
    item: Policy;
    page: PageByNumber;
  }>;
  readonly followPolicies: Search<{
    query: { cursor?: string; size?: number };
    item: Policy;
    page: PageByCursor;
  }>;
  readonly listPolicies: Search<{
    query: { after?: string; q?: string };
    item: Policy;
    page: Policy[];
  }>;
  readonly createPolicy: Submission<{ body: PolicyRequest; response: Policy }>;
  readonly changePolicy: Submission<{
    params: { policyId: string };
    body: PolicyRequest;
    response: Policy;
  }>;
  readonly cancelPolicy: Submission<{ params: { policyId: string }; response: undefined }>;
  readonly uploadClaim: Submission<{
    params: { policyId: string };
    body: { note: string; parts?: FilePart[]; amount: number } | { note: string };
    response: { claims: number };
  }>;
  readonly downloadPolicy: Document<{ params: { policyId: string } }>;
  readonly downloadCard: Document<{ params: { policyId: string } }>;
} = {
  listCovers: lookup({
    provider,
    path: "/covers",
    query: strict<{ codes?: string[] }>({
      codes: z.exactOptional(list(string({ pattern: /^[A-Z]+$/ }), { minItems: 1 })),
    }),
    headers: strict<{ session: string }>({ session: string({ minLength: 1 }) }),
    response: {
      200: loose<Covers>({
        covers: list(z.looseObject({ code: string(), limits: list(integer()) })),
      }),
    },
  }),
  readPolicy: read({
    provider,
    path: "/policies/{policyId}",
    params: path,
    response: { 200: policy },
  }),
  readNotes: read({
    provider,
    path: "/policies/{policyId}/notes",
    params: path,
    response: { 200: { media: { "text/plain": zodSchema(string()) } } },
  }),
  findPolicies: search({
    provider,
    path: "/policies",
    query: strict<{ page?: number; size?: number }>({
      page: z.exactOptional(integer({ minimum: 0 })),
      size,
    }),
    page: loose<PageByNumber>({
      content: list(zod(policy)),
      totalElements: integer({ minimum: 0 }),
      number: integer({ minimum: 0 }),
    }),
    paging: {
      style: "page",
      position: "page",
      from: 0,
      size: { name: "size", usual: 20, most: 50 },
      items: "/content",
      total: "/totalElements",
      echo: "/number",
    },
  }),
  followPolicies: search({
    provider,
    path: "/policy-feed",
    query: strict<{ cursor?: string; size?: number }>({ cursor: z.exactOptional(string()), size }),
    page: loose<PageByCursor>({ data: list(zod(policy)), next: z.exactOptional(string()) }),
    paging: {
      style: "cursor",
      position: "cursor",
      size: { name: "size", usual: 20, most: 50 },
      items: "/data",
      next: "/next",
    },
  }),
  listPolicies: search({
    provider,
    path: "/policy-list",
    query: strict<{ after?: string; q?: string }>({
      after: z.exactOptional(string()),
      q: z.exactOptional(string()),
    }),
    page: zodSchema(list(zod(policy))),
    paging: { style: "link", position: "after", size: { usual: 2 }, items: "" },
  }),
  createPolicy: submission({
    provider,
    path: "/policies",
    body: policyRequest,
    response: { 201: policy },
    insurerId: "/policyId",
    idempotency: "native",
  }),
  changePolicy: submission({
    provider,
    method: "PUT",
    path: "/policies/{policyId}",
    params: path,
    body: policyRequest,
    response: { 200: policy },
    idempotency: "none",
  }),
  cancelPolicy: submission({
    provider,
    method: "DELETE",
    path: "/policies/{policyId}",
    params: path,
    response: { 204: none },
    idempotency: "none",
  }),
  uploadClaim: submission<{
    params: { policyId: string };
    body: { note: string; parts?: FilePart[]; amount: number } | { note: string };
    response: { claims: number };
  }>({
    provider,
    path: "/policies/{policyId}/claims",
    params: path,
    body: {
      media: {
        "multipart/form-data": strict<{ note: string; parts?: FilePart[]; amount: number }>({
          note: string(),
          parts: z.exactOptional(list(file({ maxBytes: 1_000 }), { minItems: 1 })),
          amount: number(),
        }),
        "application/x-www-form-urlencoded": strict<{ note: string }>({ note: string() }),
      },
    },
    response: { 201: loose<{ claims: number }>({ claims: integer() }) },
    idempotency: "none",
  }),
  downloadPolicy: document({
    provider,
    path: "/policies/{policyId}/document",
    params: path,
    files: [pdf],
  }),
  downloadCard: document({
    provider,
    path: "/policies/{policyId}/card",
    params: path,
    files: [{ mediaType: "image/png", extension: "png", signature: "\u0089PNG" }],
  }),
};

export const providerY: Provider<typeof endpoints> = defineProvider({
  id: provider,
  name: "Provider Y",
  lines: ["motor"],
  settings: strict<{ tenant: string }>({ tenant: string({ minLength: 1 }) }),
  endpoints,
});

const first: Policy = {
  policyId: "9007199254740993",
  holder: { name: "Ελένη", email: "eleni@example.com" },
  premium: 66.66,
};
const second: Policy = { policyId: "12", holder: { name: "Νίκος" }, premium: 120 };
const third: Policy = { policyId: "13", holder: { name: "Άννα" }, premium: 95.5 };
const request: PolicyRequest = { holder: { name: "Μαρία" }, premium: 80.1, agent: "77" };
const params = { policyId: "12" };
const summary = "An example";

export const examples: Readonly<
  Record<
    keyof typeof endpoints,
    Readonly<Record<string, { summary: string; request: object; response?: unknown }>>
  >
> = {
  listCovers: {
    all: {
      summary,
      request: { headers: { session: "s-1" } },
      response: { covers: [{ code: "MTPL", limits: [1, 2] }] },
    },
  },
  readPolicy: {
    large: { summary, request: { params: { policyId: "9007199254740993" } }, response: first },
    small: { summary, request: { params }, response: second },
  },
  readNotes: { some: { summary, request: { params }, response: "Two notes" } },
  findPolicies: {
    all: {
      summary,
      request: { query: {} },
      response: { content: [first, second, third], totalElements: 3, number: 0 },
    },
  },
  followPolicies: {
    all: { summary, request: { query: {} }, response: { data: [first, second, third], next: "x" } },
  },
  listPolicies: {
    all: { summary, request: { query: { q: "a b" } }, response: [first, second, third] },
  },
  createPolicy: { one: { summary, request: { body: request }, response: second } },
  changePolicy: { one: { summary, request: { params, body: request }, response: second } },
  cancelPolicy: { one: { summary, request: { params } } },
  uploadClaim: {
    one: {
      summary,
      request: { params, body: { note: "Ζημιά", amount: 1.5 } },
      response: { claims: 1 },
    },
  },
  downloadPolicy: { one: { summary, request: { params } } },
  downloadCard: { one: { summary, request: { params } } },
};

const calls = {
  listCovers: {
    query: { codes: { name: "code", style: "pipes" } },
    cookies: { session: "JSESSIONID" },
  },
  readPolicy: { path: "/v2/{tenant}/policy/{policyId}" },
  listPolicies: { query: { after: { name: "page_token" }, q: { name: "Q" } } },
} as const;

/** The package as an import writes it: data, and nothing else. */
export const adapter: ReturnType<typeof publishedDialect> = publishedDialect(providerY, {
  calls,
  failures: [
    { status: 404, code: "RESOURCE_NOT_FOUND", outcome: "rejected", why: "The document says so." },
  ],
});
export const sandbox: ReturnType<typeof simulated> = simulated(providerY, examples, {
  calls,
  settings: { tenant: "acme" },
});
