import type { FailureRow } from "@insurance-gateway/core/contract";
import { createTransport, TransportError } from "@insurance-gateway/core/transport";
import { type Configuration, loadConfiguration } from "../configuration/load.ts";
import type { CountedAnswer } from "../observation/unmatched-answers.ts";
import { EXIT_UNANSWERED } from "./exit-codes.ts";
import { print } from "./output/print.ts";
import { safeJson } from "./output/safe-text.ts";
import { plainTable } from "./output/table.ts";

/** What the command line says about the list. */
export interface AnswersOptions {
  /** The operator's address; the configuration's own when left out. */
  readonly from?: string;
  readonly json?: boolean;
  readonly rows?: boolean;
}

const COLUMNS = ["provider", "endpoint", "status", "media type", "code", "count", "first", "last"];
const WAIT_MS = 10_000;

/** Prints the refusals of insurers that no row of `failures` matches, as a running gateway has counted them. */
export async function listAnswers({ from, json, rows }: AnswersOptions): Promise<void> {
  const address = from ?? addressOf(loadConfiguration(process.env, process.cwd()));
  const items = await fetchAnswers(address);
  if (items === null) {
    process.stderr.write(
      `No gateway answers at ${address}: start it, or name its operator's address with --from.\n`,
    );
    process.exitCode = EXIT_UNANSWERED;
    return;
  }
  if (rows === true) await print(safeJson(items.flatMap(rowFor)));
  else if (json === true) await print(safeJson(items));
  else if (items.length === 0) await print("Every refusal since the start matched a row.");
  else await print(tableOf(items));
}

/** The address at which this machine reaches the operator's listener of a configuration. */
function addressOf({ operations: { host, port } }: Configuration): string {
  const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const bracketed = host.includes(":") ? `[${host}]` : host;
  return `http://${everywhere[host] ?? bracketed}:${port}`;
}

async function fetchAnswers(address: string): Promise<readonly CountedAnswer[] | null> {
  const transport = createTransport({ connectTimeoutMs: WAIT_MS });
  try {
    const url = `${address.replace(/\/+$/, "")}/answers`;
    const answer = await transport.send({ method: "GET", url, headers: {}, timeoutMs: WAIT_MS });
    const text = await answer.body.text(1024 * 1024);
    // Only the gateway's own operator's address has this list.
    return answer.status === 200 ? (JSON.parse(text).items as readonly CountedAnswer[]) : null;
  } catch (error) {
    if (TransportError.isInstance(error) || error instanceof SyntaxError) return null;
    throw error;
  } finally {
    await transport.close();
  }
}

function tableOf(items: readonly CountedAnswer[]): string {
  const rows = items.map((item) => [
    item.segment,
    item.endpoint,
    String(item.status),
    item.mediaType || "-",
    item.code ?? "-",
    String(item.count),
    item.firstAt,
    item.lastAt,
  ]);
  return plainTable(COLUMNS, rows).text;
}

/** A row that an operator completes: what an answer proves is nothing that a program can guess. */
type Draft = Omit<FailureRow, "is"> & { readonly endpoint: string; readonly is: readonly string[] };

function rowFor({ at, code, endpoint, mediaType, status }: CountedAnswer): readonly Draft[] {
  if (code === null || at === null) return [];
  return [
    {
      endpoint,
      status,
      media: mediaType,
      at,
      is: [code],
      code: "PROVIDER_REJECTED",
      outcome: "unknown",
      why: "",
    },
  ];
}
