import { type GatewayFolder, makeGatewayFolder } from "@insurance-gateway/running-gateway";
import {
  type Behaviour,
  type Insurer,
  insurerConfiguration,
  json,
  startInsurer,
} from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

/** A server that replaces a gateway, with answers that the test sets, and the folder of a caller. */
export interface ScriptedGateway {
  /** The server, with the received requests and the behaviour for the next request. */
  readonly server: Insurer;
  readonly folder: GatewayFolder;
  readonly run: RunInProcess;
  close(): Promise<void>;
}

/** Starts the server, which first answers with an empty object. */
export async function startScriptedGateway(configuration: object = {}): Promise<ScriptedGateway> {
  const server = await startInsurer(json(200, {}));
  const folder = makeGatewayFolder({
    providers: ["a", "c", "d"].map((letter) => insurerConfiguration(letter, "http://127.0.0.1:1")),
    ...configuration,
  });
  return {
    server,
    folder,
    run: runsInProcess({ folder: folder.path, address: server.baseUrl }),
    async close() {
      folder.remove();
      await server.close();
    },
  };
}

/** The main fields of a problem. */
export type ProblemFacts = readonly [
  status: number,
  code: string,
  outcome: "executed" | "not_sent" | "rejected" | "unknown",
  retry: "after_check" | "never" | "safe" | "same_key",
];

/** Answers with a problem in the gateway's form. */
export function problem(
  [status, code, outcome, retry]: ProblemFacts,
  more: object = {},
  headers: Record<string, string> = {},
): Behaviour {
  const body = {
    type: `/reference/errors/${code}`,
    title: "T",
    status,
    code,
    detail: "What happened.",
    requestId: "req-1",
    provider: "provider-d",
    outcome,
    retry,
    ...more,
  };
  const type = { "content-type": "application/problem+json" };
  return json(status, body, { ...type, ...headers });
}

/** The rows of a printed failure, each with its lines. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** Returns the printed text of a failure. */
export function textOf(title: string, rows: Rows): string {
  const lines = Object.entries(rows).flatMap(([name, texts]) =>
    texts.map((text, index) => `  ${(index === 0 ? name : "").padEnd(15)}${text}`),
  );
  return [`error: ${title}`, ...lines, ""].join("\n");
}
