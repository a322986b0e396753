import { type Mapping, readMapped } from "@insurance-gateway/adapter";
import {
  type Clock,
  type DialectAnswer,
  expiringTokens,
  type InsurerProblem,
  jsonAnswer,
  jsonBody,
  mappedAnswer,
  type QueriedPaging,
  queriedPage,
  type RawAnswer,
  type RawRequest,
  type SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import { valueAt } from "@insurance-gateway/core/contract";
import { applicationRows, fieldNames, requestRows, service } from "../dialect.ts";

/** The API key, user name and password that this simulated insurer accepts. */
const login = { apiKey: "sandbox-key-d", username: "agent-d", password: "sandbox-d" } as const;

const LOGIN_PATH = `${service}/login`;
const tokens = expiringTokens("sandbox-d", 1_800);
const paging: QueriedPaging = { position: "offset", size: "limit", most: 50 };

/** The insurer's own API: an API key and a login token, other names for the states, and payment codes. */
export const dialect: SandboxDialect = {
  credentials: [
    { type: "headers", headers: { "x-api-key": login.apiKey } },
    { type: "login", username: login.username, password: login.password },
  ],
  refuse(request, clock) {
    if (request.headers["x-api-key"] !== login.apiKey) return refusal(401, "GW-401");
    const isLetIn = request.path === LOGIN_PATH || tokens.isIn(request, clock);
    return isLetIn ? null : refusal(401, "MTR-4011");
  },
  routes: [
    { method: "POST", path: LOGIN_PATH, read: logIn, write: writeAnswer },
    {
      method: "POST",
      path: `${service}/applications`,
      read(request) {
        const asked = jsonBody(request);
        const mapped = readMapped(requestRows, asked);
        if (!mapped.fits)
          return { answer: refusal(400, "MTR-4001", [mapped.at.slice(1).replaceAll("/", ".")]) };
        const reference = valueAt(asked, "/externalReference");
        const call = { endpoint: "createApplication", input: { body: mapped.value } };
        return { call: typeof reference === "string" ? { ...call, reference } : call };
      },
      write: writeAnswer,
    },
    {
      method: "GET",
      path: `${service}/applications`,
      read({ query }) {
        const page = queriedPage(query, paging);
        if (page === null) return { answer: refusal(400, "MTR-4001") };
        const input = {
          query: {
            clientAfm: query.get("taxNumber") ?? "",
            start: page.position + 1,
            limit: page.size,
          },
        };
        return { call: { endpoint: "searchApplications", input } };
      },
      write: writeAnswer,
    },
    {
      method: "GET",
      path: `${service}/applications/by-reference/{reference}`,
      read({ params }, _, records) {
        const found = records.find((record) => valueAt(record, "/reference") === params.reference);
        return {
          answer: found
            ? mappedAnswer(200, applicationRows, valueAt(found, "/application"))
            : refusal(404, "MTR-4041"),
        };
      },
      write: writeAnswer,
    },
  ],
};

function logIn(request: RawRequest, clock: Clock): { readonly answer: RawAnswer } {
  const asked = jsonBody(request);
  const { password, username } = login;
  const isKnown =
    valueAt(asked, "/username") === username && valueAt(asked, "/password") === password;
  return {
    answer: isKnown
      ? jsonAnswer(200, { token: tokens.issue(clock), expiresIn: tokens.seconds })
      : refusal(401, "MTR-4010"),
  };
}

/** The fields of a page, as the insurer writes them. */
const pageRows: Mapping = [
  { list: ["/items", "/applications"], each: applicationRows },
  ["/total", "/count"],
];

function writeAnswer(answer: DialectAnswer): RawAnswer {
  if ("problem" in answer) return refused(answer.status, answer.problem, answer.headers);
  const body = "body" in answer ? answer.body : null;
  return Array.isArray(valueAt(body, "/items"))
    ? mappedAnswer(200, pageRows, body)
    : mappedAnswer(answer.status, applicationRows, body);
}

const errorCodes: Readonly<Record<string, string>> = {
  PROVIDER_REJECTED: "MTR-4221",
  BROKER_LIMIT_EXCEEDED: "MTR-4022",
  PROVIDER_UNAVAILABLE: "MTR-5031",
  RATE_LIMITED: "GW-429",
};

function refused(
  status: number,
  { code, errors = [] }: InsurerProblem,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const names = errors.flatMap(({ pointer }) =>
    Object.keys(fieldNames).filter((name) => fieldNames[name] === pointer),
  );
  return refusal(status, errorCodes[code] ?? "MTR-4001", names, headers);
}

function refusal(
  status: number,
  code: string,
  names: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const fields = names.map((name) => ({ name }));
  return jsonAnswer(status, { code, message: "Refused.", fields }, headers);
}
