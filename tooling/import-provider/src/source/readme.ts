import type { AcceptedCredential } from "@insurance-gateway/adapter";
import type { ReadSecurity } from "../operations/security.ts";

const beginMark = "<!-- the credentials, written by the importer -->";
const endMark = "<!-- end of the credentials -->";

/** The operator's part of an imported provider's README. */
export interface OperatorPart {
  readonly id: string;
  /** The name of a package outside this repository. */
  readonly packageName?: string;
  readonly security: Pick<ReadSecurity, "accepted" | "certificate">;
  /** The names of the provider's settings. */
  readonly settings: readonly string[];
}

/**
 * Writes the operator's configuration into a README: between the two marks of the section, or before the endpoints if
 * there are no marks.
 */
export function credentialsSection(readme: string, part: OperatorPart): string {
  const section = `${beginMark}\n\n${textOf(part)}\n\n${endMark}`;
  const [from, to] = [readme.indexOf(beginMark), readme.indexOf(endMark)];
  if (from !== -1 && to > from)
    return readme.slice(0, from) + section + readme.slice(to + endMark.length);
  const whole = `## Credentials\n\n${section}\n`;
  const endpoints = readme.indexOf("## Endpoints\n");
  return endpoints === -1
    ? `${readme.trimEnd()}\n\n${whole}`
    : `${readme.slice(0, endpoints)}${whole}\n${readme.slice(endpoints)}`;
}

function textOf({
  id,
  packageName,
  security: { accepted = [[]], certificate },
  settings,
}: OperatorPart): string {
  const environment = id.replaceAll("-", "_").toUpperCase();
  const entries = accepted.map((all) => {
    const credentials = all.map((one) => configured(one, environment));
    const [only] = credentials;
    const upstream = {
      ...(only === undefined ? {} : { credentials: credentials.length === 1 ? only : credentials }),
      ...(certificate ? { tls: { client: clientCertificate(environment) } } : {}),
    };
    return {
      package: packageName ?? `@insurance-gateway/${id}`,
      ...(Object.keys(upstream).length === 0
        ? {}
        : { upstream: { baseUrl: "https://insurer.example", ...upstream } }),
      ...(settings.length === 0
        ? {}
        : {
            settings: Object.fromEntries(
              settings.map((name) => [name, { env: `${environment}_${upperCase(name)}` }]),
            ),
          }),
    };
  });
  const isNothing = entries.every((entry) => Object.keys(entry).length === 1);
  if (isNothing) return "The insurer's document names no credentials.";
  const [first, ...others] = entries.map(
    (entry) => `\`\`\`json\n${JSON.stringify(entry, null, 2)}\n\`\`\``,
  );
  const guide =
    packageName === undefined
      ? "[credentials](../../docs/credentials.md)"
      : "`@insurance-gateway/gateway/configuration.schema.json` describes each member";
  const intro = `The operator configures (${guide}), with the secrets in the environment:`;
  return [intro, first, ...others.flatMap((text) => ["or:", text])].join("\n\n");
}

function clientCertificate(environment: string): object {
  return {
    certificate: { env: `${environment}_CERTIFICATE` },
    key: { env: `${environment}_CERTIFICATE_KEY` },
  };
}

/** Returns an entry of `upstream.credentials` as docs/credentials.md describes it. */
function configured(credential: AcceptedCredential, environment: string): object {
  const secret = (name: string): object => ({ env: `${environment}_${name}` });
  switch (credential.type) {
    case "apiKey":
      return { type: "apiKey", header: credential.header, value: secret("KEY") };
    case "basic":
      return { type: "basic", username: secret("USERNAME"), password: secret("PASSWORD") };
    case "message":
      return { type: "message", username: secret("USERNAME"), password: secret("PASSWORD") };
    case "bearer":
      return { type: "bearer", token: secret("TOKEN") };
    case "oauth2": {
      const { scopes = [], tokenUrl = "https://login.insurer.example/token" } = credential;
      return {
        type: "oauth2",
        tokenUrl,
        clientId: "broker",
        clientSecret: secret("CLIENT_SECRET"),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      };
    }
  }
}

/** Converts `agentCode` to `AGENT_CODE`. */
function upperCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
}
