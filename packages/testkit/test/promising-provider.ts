import {
  type Adapter,
  dateText,
  type JsonCall,
  type JsonDialect,
  type JsonLogin,
  jsonDialect,
  type Mapping,
  plainText,
  readMapped,
} from "@insurance-gateway/adapter";
import {
  type AnySandbox,
  type DialectAnswer,
  defineSandbox,
  jsonAnswer,
  jsonBody,
  mappedAnswer,
  queriedPage,
  type RawAnswer,
  type SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import {
  type Document,
  defineProvider,
  document,
  type Endpoint,
  type FailureRow,
  type Normaliser,
  type OpenEnum,
  type PageQuery,
  type Provider,
  pdf,
  type ReconcileDeclaration,
  type Search,
  type Submission,
  search,
  submission,
  valueAt,
} from "@insurance-gateway/core/contract";
import {
  date,
  instant,
  loose,
  openEnum,
  pageQuery,
  strict,
  text,
} from "@insurance-gateway/core/schema";
import type { ConformanceSubject } from "../src/index.ts";

interface Policy {
  plate: string;
  holder: string;
  make: string;
  from: string;
}
interface Issued extends Policy {
  policyId: string;
  status: OpenEnum<"ISSUED" | "DECLINED">;
  createdAt: string;
  changedAt: string;
}
interface PolicySearch extends PageQuery {
  holder: string;
}
interface Settings {
  brokerCode: string;
}
const fields = { plate: text(), holder: text(), make: text(), from: date() };
const issued = loose<Issued>({
  ...fields,
  policyId: text(),
  status: openEnum("ISSUED", "DECLINED"),
  createdAt: instant(),
  changedAt: instant(),
});
const normaliser: Normaliser = {
  name: "plate",
  normalise: (plate) => plate.replaceAll(/[\s-]/g, ""),
  examples: [["ΙΚΥ-1234", "ΙΚΥ 1234"]],
};

export const reconcile: ReconcileDeclaration = {
  endpoint: "findPolicies",
  parameters: { holder: { from: "/holder" } },
  createdAt: "/createdAt",
};
export const createPolicy: Submission<{ body: Policy; response: Issued }> = submission({
  provider: "provider-m",
  path: "/policies",
  body: strict<Policy>(fields),
  response: { 201: issued },
  insurerId: "/policyId",
  idempotency: "reconcile",
  reconcile,
  same: [{ at: "/plate", normaliser }, "/holder", "/from"],
  settleAfterMs: 60_000,
  closedWhen: { at: "/status", is: ["DECLINED"] },
});
const findPolicies: Search<{ query: PolicySearch; item: Issued }> = search({
  provider: "provider-m",
  path: "/policies/search",
  query: strict<PolicySearch>({ holder: text(), ...pageQuery() }),
  item: issued,
});
const terms: Document<{ query: { id: string } }> = document({
  provider: "provider-m",
  path: "/terms",
  query: strict<{ id: string }>({ id: text() }),
  files: [pdf],
});

interface Endpoints {
  readonly createPolicy: Submission<{ body: Policy; response: Issued }>;
  readonly findPolicies: Search<{ query: PolicySearch; item: Issued }>;
  readonly terms: Document<{ query: { id: string } }>;
}
const provider: Provider<Endpoints> = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  settings: strict<Settings>({ brokerCode: text() }),
  endpoints: { createPolicy, findPolicies, terms },
});

const policyRows: Mapping = [
  ["/plate", "/car", plainText],
  ["/holder", "/name", plainText],
  ["/make", "/make", plainText],
  ["/from", "/since", dateText("dd/MM/yyyy")],
];
export const issuedRows: Mapping = [
  ...policyRows,
  ["/policyId", "/number", plainText],
  ["/status", "/state"],
  ["/createdAt", "/made"],
  ["/changedAt", "/changed"],
];

export const calls: Readonly<Record<keyof Endpoints, JsonCall>> = {
  createPolicy: {
    method: "POST",
    path: "/api/policies",
    headers: [["/settings/brokerCode", "/x-broker", plainText]],
    body: [
      { group: ["/body", ""], fields: policyRows },
      ["/submissionId", "/reference", plainText],
    ],
    value: issuedRows,
  },
  findPolicies: {
    method: "GET",
    path: "/api/policies",
    query: [
      ["/query/holder", "/name", plainText],
      ["/page/position", "/offset"],
      ["/page/size", "/limit"],
    ],
    pages: {
      style: "offset",
      from: 0,
      most: 50,
      items: "/list",
      each: issuedRows,
      total: "/count",
    },
    byReference: { path: "/api/references/{/submissionId}", item: issuedRows },
  },
  terms: {
    method: "GET",
    path: "/api/terms/{/query/id}",
    document: { base64: "/file", mediaType: "application/pdf" },
  },
};

const why = "The manual says so.";
export const failures: readonly [FailureRow, FailureRow, FailureRow] = [
  {
    status: 422,
    at: "/code",
    is: ["M-22"],
    code: "BROKER_LIMIT_EXCEEDED",
    outcome: "rejected",
    why,
  },
  { status: 400, at: "/code", is: ["M-00"], code: "INVALID_INPUT", outcome: "rejected", why },
  {
    status: 401,
    media: "application/json",
    at: "/code",
    is: ["M-01"],
    code: "PROVIDER_AUTH_FAILED",
    outcome: "rejected",
    why,
  },
];
export const login: JsonLogin = {
  path: "/api/login",
  body: [
    ["/username", "/user", plainText],
    ["/password", "/password", plainText],
  ],
  token: "/token",
  expiresIn: "/seconds",
};
export const dialectOf: JsonDialect<Provider<Endpoints>> = { failures, login, calls };

interface Kept {
  readonly id: string;
  readonly policy: Issued;
  readonly reference: string | undefined;
}
const kept = (record: unknown): unknown => valueAt(record, "/policy");

const written =
  (rows: Mapping) =>
  (answer: DialectAnswer): RawAnswer =>
    "problem" in answer
      ? jsonAnswer(answer.status, { code: answer.status === 422 ? "M-22" : "M-04" })
      : mappedAnswer(answer.status, rows, "body" in answer ? answer.body : null);

export const dialect: SandboxDialect = {
  credentials: [{ type: "login", username: "agent", password: "secret" }],
  refuse: ({ headers, path }, clock) =>
    path === "/api/login" || Number(headers.authorization?.split("-")[1]) > clock().getTime()
      ? null
      : jsonAnswer(401, { code: "M-01" }),
  routes: [
    {
      method: "POST",
      path: "/api/login",
      read(request, clock) {
        const isKnown =
          request.body === '{"user":"agent","password":"secret"}' && clock() !== undefined;
        const token = `T-${clock().getTime() + 60_000}`;
        return { answer: isKnown ? jsonAnswer(200, { token, seconds: 60 }) : jsonAnswer(401, {}) };
      },
      write: () => jsonAnswer(500, {}),
    },
    {
      method: "POST",
      path: "/api/policies",
      read(request) {
        const asked = jsonBody(request);
        const mapped = readMapped(policyRows, asked);
        const reference = valueAt(asked, "/reference");
        if (!mapped.fits) return { answer: jsonAnswer(400, { code: "M-00" }) };
        const call = { endpoint: "createPolicy", input: { body: mapped.value } };
        return { call: typeof reference === "string" ? { ...call, reference } : call };
      },
      write: written(issuedRows),
    },
    {
      method: "GET",
      path: "/api/policies",
      read({ query }) {
        const page = queriedPage(query, { position: "offset", size: "limit", most: 50 });
        if (page === null) return { answer: jsonAnswer(400, { code: "M-00" }) };
        const holder = query.get("name");
        const asked = { holder, start: page.position + 1, limit: page.size };
        return { call: { endpoint: "findPolicies", input: { query: asked } } };
      },
      write: written([{ list: ["/items", "/list"], each: issuedRows }, ["/total", "/count"]]),
    },
    {
      method: "GET",
      path: "/api/references/{reference}",
      read({ params }, _, records) {
        const found = records.find((one) => valueAt(one, "/reference") === params.reference);
        return {
          answer: found ? mappedAnswer(200, issuedRows, kept(found)) : jsonAnswer(404, {}),
        };
      },
      write: () => jsonAnswer(500, {}),
    },
    {
      method: "GET",
      path: "/api/terms/{id}",
      read: ({ params: { id } }) => ({ call: { endpoint: "terms", input: { query: { id } } } }),
      write: (answer) =>
        "file" in answer
          ? jsonAnswer(200, { file: Buffer.from(answer.file).toString("base64") })
          : jsonAnswer(answer.status, { code: "M-00" }),
    },
  ],
};

export const sandbox: AnySandbox = defineSandbox<Provider<Endpoints>, Kept>({
  provider,
  seed: [],
  settings: { brokerCode: "B-1" },
  scenarios: [
    { name: "LIMIT", endpoint: "createPolicy", effect: "422" },
    { name: "DECLINED", endpoint: "createPolicy", effect: "201, declined" },
  ],
  handlers: {
    createPolicy({ input, reference, scenario }, records, clock) {
      if (scenario === "LIMIT")
        return { status: 422, problem: { code: "BROKER_LIMIT_EXCEEDED", detail: "" } };
      const policyId = `M-${records.length + 1}`;
      const at = clock().toISOString();
      const status = scenario ?? "ISSUED";
      const policy = { ...input.body, policyId, status, createdAt: at, changedAt: at };
      return { status: 201, body: policy, keep: [{ id: policyId, policy, reference }] };
    },
    findPolicies({ input: { query } }, records, clock) {
      const { holder, limit = 20, start = 1 } = query;
      const changedAt = clock().toISOString();
      const found = records.filter(({ policy }) => policy.holder === holder);
      const items = found.map(({ policy }) => ({ ...policy, changedAt }));
      const page = items.slice(start - 1, start - 1 + limit);
      return { status: 200, body: { items: page, start, limit, total: items.length } };
    },
    terms: ({ input }) =>
      input.query.id === "1"
        ? {
            status: 200,
            file: { mediaType: "application/pdf", content: Buffer.from("%PDF-1.7 Ά %%EOF") },
          }
        : { status: 400, problem: { code: "INVALID_INPUT", detail: "" } },
  },
  dialect,
});

const policy: Policy = { plate: "ΙΚΥ-1234", holder: "Ελένη", make: "TOY", from: "2026-12-01" };
const at = "2026-11-21T08:00:00Z";
const one: Issued = { ...policy, policyId: "M-9", status: "ISSUED", createdAt: at, changedAt: at };
const summary = "An example";

/** A provider whose behaviour matches its declarations. */
export const subject: ConformanceSubject = {
  id: "provider-m",
  provider,
  adapter: jsonDialect(provider, dialectOf),
  sandbox,
  examples: {
    createPolicy: { one: { summary, request: { body: policy }, response: one } },
    findPolicies: {
      one: {
        summary,
        request: { query: { holder: "Ελένη" } },
        response: { items: [one], start: 1, limit: 20, total: 1 },
      },
    },
    terms: { one: { summary, request: { query: { id: "1" } } } },
  },
};

/** Returns the provider with another declaration of its submission. */
export function declaring(change: Partial<Endpoint>): Partial<ConformanceSubject> {
  const changed = { ...createPolicy, ...change };
  const other = { ...provider, endpoints: { ...provider.endpoints, createPolicy: changed } };
  return { provider: other, sandbox: { ...sandbox, provider: { ...sandbox.provider, ...other } } };
}

/** Returns the provider with another adapter. */
export function speaking(
  change: Partial<JsonDialect<Provider<Endpoints>>>,
): Partial<ConformanceSubject> {
  return { adapter: jsonDialect(provider, { ...dialectOf, ...change }) };
}

/** Returns the provider with another translation of one call. */
export function calling(
  name: keyof Endpoints,
  change: Partial<JsonCall>,
): Partial<ConformanceSubject> {
  return speaking({ calls: { ...calls, [name]: { ...calls[name], ...change } } });
}

/** Returns the provider with an adapter that sends different requests. */
export function sending(call: (inner: Adapter) => Adapter["call"]): Partial<ConformanceSubject> {
  const inner = jsonDialect(provider, dialectOf);
  return { adapter: { ...inner, call: call(inner) } };
}
