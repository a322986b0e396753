import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import type { Environment } from "../../../src/configuration/load.ts";
import type { Time } from "../../../src/time.ts";
import { submitApplication } from "../../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../../harness/held-time.ts";
import {
  type Arrival,
  type Behaviour,
  type Insurer,
  json,
  startInsurer,
} from "../../harness/insurer.ts";
import { taking } from "../../harness/site.ts";

/** Token server that issues `token-1`, `token-2` and so on, with the lifetime that the test sets. */
export interface TokenServer extends Insurer {
  /** Answers a token request. A test may replace this behaviour. */
  grant: Behaviour;
  expiresIn: unknown;
  /** The issued tokens. */
  readonly given: string[];
}

/** Gateway with a token server and with provider D's insurer, which answers the requests that `accepts` allows. */
export interface CredentialSite {
  readonly gateway: GatewayInProcess;
  readonly insurer: Insurer;
  readonly tokens: TokenServer;
  readonly time: HeldTime;
  /** Reports whether the insurer accepts a request; if not, the insurer answers with `refusal`. */
  accepts: (arrival: Arrival) => boolean;
  refusal: Behaviour;
  /** Sends a search. */
  readonly search: (signal?: AbortSignal) => Promise<Response>;
  readonly submit: (body: object, key?: string) => Promise<Response>;
  readonly metrics: () => Promise<string>;
}

/** The insurer's documented 401, which proves that the insurer did nothing. */
export const unauthenticated: Behaviour = (response) => {
  response.writeHead(401, { "content-type": "application/problem+json" });
  response.end(JSON.stringify({ code: "UNAUTHENTICATED", status: 401 }));
};

/** A 401 that a firewall could have sent. */
export const bare401: Behaviour = json(401, {});

const nothingFound = json(200, { items: [], start: 1, limit: 20, total: 0 });

/** The options for starting a credential site. */
export interface SiteOptions {
  readonly credentials: (tokens: TokenServer) => unknown;
  readonly environment?: Environment;
  /** Further settings of the provider in the configuration. */
  readonly provider?: object;
  readonly folder?: GatewayFolder;
  /** The clock of the gateway. Default: a clock that only the test advances. */
  readonly time?: Time;
  /** Source code of an adapter for the insurer, which can use the adapter `declared`. */
  readonly dialect?: string;
}

/** Creates the configuration of the OAuth 2 credentials that most tests use. */
export function oauth2(tokens: Insurer, more: object = {}): object {
  return {
    type: "oauth2",
    tokenUrl: `${tokens.baseUrl}/token`,
    clientId: "broker",
    clientSecret: { env: "CLIENT_SECRET" },
    ...more,
  };
}

/** Starts the site; the caller must call `stop`. */
export async function startCredentialSite({
  credentials,
  dialect,
  environment = {},
  folder = dialect === undefined ? makeGatewayFolder() : folderWithDialect(dialect),
  provider = {},
  time,
}: SiteOptions): Promise<CredentialSite & { stop(): Promise<void> }> {
  const tokens = await startTokenServer();
  const take = taking();
  const insurer = await startInsurer((response, arrival) => {
    if (!site.accepts(arrival)) site.refusal(response, arrival);
    else if (arrival.method === "POST") take(response, arrival);
    else nothingFound(response, arrival);
  });
  const held = holdTime();
  const configured = {
    ...insurerConfiguration("d", insurer.baseUrl, {
      credentials: credentials(tokens),
      ...(dialect === undefined ? {} : { adapter: undefined }),
    }),
    ...(dialect === undefined ? {} : { package: "insurer-with-dialect" }),
    callerLimit: { requests: 100_000 },
    ...provider,
  };
  const gateway = await startInProcess(
    { providers: [configured] },
    { CLIENT_SECRET: "s3cret", ...environment },
    { time: time ?? held, folder },
  );
  const site = {
    gateway,
    insurer,
    tokens,
    time: held,
    accepts: isNewest(tokens),
    refusal: unauthenticated,
    search: (signal?: AbortSignal) =>
      gateway.ask("/provider-d/applications/search?clientAfm=123456789", { signal }),
    submit: (body: object, key?: string) =>
      submitApplication(gateway, body, key === undefined ? {} : { "idempotency-key": key }),
    metrics: async () => (await fetch(`${gateway.operationsAddress}/metrics`)).text(),
    async stop() {
      await gateway.stop();
      await insurer.close();
      await tokens.close();
    },
  };
  return site;
}

async function startTokenServer(): Promise<TokenServer> {
  const server = await startInsurer((response, arrival) => tokens.grant(response, arrival));
  const given: string[] = [];
  const tokens: TokenServer = Object.assign(server, {
    given,
    expiresIn: 3_600,
    grant: ((response, arrival) => {
      given.push(`token-${given.length + 1}`);
      const answer = {
        access_token: given.at(-1),
        token_type: "Bearer",
        expires_in: tokens.expiresIn,
      };
      json(200, answer)(response, arrival);
    }) satisfies Behaviour,
  });
  return tokens;
}

/** Creates a check that accepts only the newest token. */
function isNewest({ given }: Pick<TokenServer, "given">): CredentialSite["accepts"] {
  return ({ headers }) => headers.authorization === `Bearer ${given.at(-1)}`;
}

/** Returns the tokens that the insurer received, each once, in the order of their first use. */
export function tokensShown({ insurer }: CredentialSite): readonly string[] {
  const shown = insurer.arrivals.map(({ headers }) => headers.authorization ?? "none");
  return [...new Set(shown)].map((value) => value.replace("Bearer ", ""));
}

/** Creates a folder with a package like provider D's, with this adapter. */
function folderWithDialect(adapter: string): GatewayFolder {
  const folder = makeGatewayFolder();
  const modules = join(folder.path, "node_modules");
  const packages = fileURLToPath(new URL("../../../../../packages", import.meta.url));
  for (const name of ["core", "adapter"])
    symlinkSync(join(packages, name), join(modules, "@insurance-gateway", name));
  const own = join(modules, "insurer-with-dialect");
  mkdirSync(own);
  const exported = {
    ".": "./index.js",
    "./adapter": "./adapter.js",
    "./package.json": "./package.json",
  };
  writeFileSync(
    join(own, "package.json"),
    JSON.stringify({ name: "insurer-with-dialect", type: "module", exports: exported }),
  );
  writeFileSync(
    join(own, "index.js"),
    'export { providerD } from "@insurance-gateway/provider-d";\n',
  );
  writeFileSync(
    join(own, "adapter.js"),
    `import { declared } from "@insurance-gateway/adapter";\n${adapter}`,
  );
  return folder;
}
