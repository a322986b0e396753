import type { Adapter } from "@insurance-gateway/adapter";
import type { SandboxCredential } from "@insurance-gateway/adapter/sandbox";
import type { CredentialContent, UserLogin } from "@insurance-gateway/core/auth";
import { valueAt } from "@insurance-gateway/core/contract";
import { type SimulatedInsurer, sendAlone } from "./dialect-insurer.ts";
import { now } from "./sandbox-answers.ts";

/** The credentials for a simulated insurer, in the form in which the gateway sends them. */
export interface Access {
  /** The content that each credential adds to a call; null if a credential was not available. */
  readonly parts: readonly AccessPart[] | null;
  readonly faults: readonly string[];
}

/** The content that one credential adds to a call. */
export interface AccessPart extends CredentialContent {
  readonly type: SandboxCredential["type"];
  /** The lifetime of the credential in seconds; null if unknown. */
  readonly seconds: number | null;
}

/** Obtains the credentials of a simulated insurer as the gateway does: by the adapter's login, or by OAuth 2. */
export async function accessTo(adapter: Adapter, insurer: SimulatedInsurer): Promise<Access> {
  const { credentials = [] } = insurer.dialect;
  const fixed = credentials.filter(({ type }) => type === "headers");
  const parts: AccessPart[] = [];
  try {
    for (const credential of [...fixed, ...credentials.filter((one) => !fixed.includes(one))])
      parts.push({
        type: credential.type,
        ...(await partOf(adapter, insurer, credential, mergeCredentials(parts))),
      });
    return { parts, faults: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      parts: null,
      faults: [`the credentials of the provider's sandbox cannot be used: ${why}`],
    };
  }
}

/** Merges the contents of all credentials of a call. */
export function mergeCredentials(parts: readonly AccessPart[]): CredentialContent {
  const headers = parts.map((part) => part.headers);
  const login = parts.find((part) => part.login !== null)?.login ?? null;
  return { headers: Object.assign({}, ...headers), login };
}

async function partOf(
  adapter: Adapter,
  insurer: SimulatedInsurer,
  credential: SandboxCredential,
  beside: CredentialContent,
): Promise<Omit<AccessPart, "type">> {
  switch (credential.type) {
    case "headers":
      return { headers: credential.headers, login: null, seconds: null };
    case "message": {
      const { password, username } = credential;
      return { headers: {}, login: { username, password }, seconds: null };
    }
    case "login": {
      const { password, username } = credential;
      const context = { settings: insurer.sandbox.settings ?? {}, now };
      const answer = await adapter.login?.(
        { username, password },
        (request) => sendAlone(insurer, request, beside),
        context,
      );
      if (answer === undefined) throw new TypeError("its adapter has no `login`");
      if (answer.headers === null)
        throw new TypeError("its adapter's login is refused with the right name and password");
      return { headers: answer.headers, login: null, seconds: answer.expiresInSeconds };
    }
    case "oauth2":
      return { ...(await tokenOf(insurer, credential)), login: null };
  }
}

/** Requests a token with client credentials (RFC 6749, section 4.4). */
async function tokenOf(
  insurer: SimulatedInsurer,
  { clientId, clientSecret, path }: Extract<SandboxCredential, { readonly type: "oauth2" }>,
): Promise<Pick<AccessPart, "headers" | "seconds">> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  const response = await sendAlone(
    insurer,
    {
      method: "POST",
      path,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "grant_type=client_credentials",
    },
    { headers: { authorization: `Basic ${basic}` }, login: null },
  );
  const content: unknown = response.status === 200 ? JSON.parse(await response.text()) : null;
  const token = valueAt(content, "/access_token");
  if (typeof token !== "string") throw new TypeError(`its sandbox returns no token at ${path}`);
  const seconds = valueAt(content, "/expires_in");
  return {
    headers: { authorization: `Bearer ${token}` },
    seconds: typeof seconds === "number" ? seconds : null,
  };
}

/** Returns the requests that the adapter sends to log in with a user name and a password, as texts. */
export async function loginTexts(
  adapter: Adapter,
  settings: Readonly<Record<string, unknown>>,
  user: UserLogin,
): Promise<string> {
  const texts: string[] = [];
  const send = (request: object): never => {
    texts.push(JSON.stringify(request));
    throw new TypeError("No answer is needed");
  };
  await adapter
    .login?.(user, async (request) => send(request), { settings, now })
    .catch(() => undefined);
  return texts.join("\n");
}
