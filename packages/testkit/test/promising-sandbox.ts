import { type Mapping, readMapped } from "@insurance-gateway/adapter";
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
import { type Provider, valueAt } from "@insurance-gateway/core/contract";
import {
  type Endpoints,
  type Issued,
  issuedRows,
  policyRows,
  provider,
} from "./promising-provider.ts";

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
