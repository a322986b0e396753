import { readMapped } from "@insurance-gateway/adapter";
import {
  type Clock,
  expiringTokens,
  type InsurerProblem,
  jsonAnswer,
  jsonBody,
  mappedAnswer,
  type RawAnswer,
  type RawRequest,
  type SandboxDialect,
} from "@insurance-gateway/adapter/sandbox";
import { fieldNames, quoteRows, requestRows } from "../dialect.ts";

/** The client id and secret that this simulated insurer accepts. */
const client = { id: "sandbox-e", secret: "sandbox-e" } as const;

const TOKEN_PATH = "/oauth2/token";
const tokens = expiringTokens("sandbox-e", 300);

/** The insurer's own API: OAuth 2 client credentials, dd/MM/yyyy dates and decimal commas. */
export const dialect: SandboxDialect = {
  credentials: [
    { type: "oauth2", path: TOKEN_PATH, clientId: client.id, clientSecret: client.secret },
  ],
  refuse: (request, clock) =>
    request.path === TOKEN_PATH || tokens.isIn(request, clock)
      ? null
      : jsonAnswer(401, { error: "invalid_token" }, { "www-authenticate": "Bearer" }),
  routes: [
    { method: "POST", path: TOKEN_PATH, read: giveToken, write: () => jsonAnswer(500, {}) },
    {
      method: "POST",
      path: "/pension/v1/quotations",
      read(request) {
        const mapped = readMapped(requestRows, jsonBody(request));
        return mapped.fits
          ? { call: { endpoint: "calculatePensionQuote", input: { body: mapped.value } } }
          : { answer: refusal(400, "Q-100", [mapped.at.slice(1)]) };
      },
      write(answer) {
        if ("problem" in answer) return refused(answer.status, answer.problem, answer.headers);
        return mappedAnswer(200, quoteRows, "body" in answer ? answer.body : null);
      },
    },
  ],
};

/** Issues a token that contains its expiry (RFC 6749, section 4.4). */
function giveToken(
  { body, headers: { authorization } }: RawRequest,
  clock: Clock,
): { readonly answer: RawAnswer } {
  const form = new URLSearchParams(body);
  const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`;
  const isKnown =
    authorization === basic ||
    (form.get("client_id") === client.id && form.get("client_secret") === client.secret);
  if (form.get("grant_type") !== "client_credentials")
    return { answer: jsonAnswer(400, { error: "unsupported_grant_type" }) };
  if (!isKnown) return { answer: jsonAnswer(401, { error: "invalid_client" }) };
  return {
    answer: jsonAnswer(200, {
      access_token: tokens.issue(clock),
      token_type: "Bearer",
      expires_in: tokens.seconds,
    }),
  };
}

const errorCodes: Readonly<Record<string, string>> = {
  PROVIDER_UNAVAILABLE: "S-001",
  PROVIDER_REJECTED: "Q-107",
};

function refused(
  status: number,
  { code, errors = [] }: InsurerProblem,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const fields = errors.map(
    ({ pointer }) => Object.keys(fieldNames).find((name) => fieldNames[name] === pointer) ?? null,
  );
  return refusal(status, errorCodes[code] ?? "Q-100", fields, headers);
}

function refusal(
  status: number,
  code: string,
  fields: readonly (string | null)[],
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  const named = fields.length === 0 ? [null] : fields;
  return jsonAnswer(status, { errors: named.map((field) => ({ code, field })) }, headers);
}
