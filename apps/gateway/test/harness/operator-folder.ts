import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  developmentToken,
  type Ended,
  endOf,
  type GatewayFolder,
  makeGatewayFolder,
  programEnvironment,
  runCommand,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";
import { program } from "./command-line.ts";
import { insurerConfiguration } from "./gateway-in-process.ts";
import { newSendable, type Reply, type Sendable, send } from "./store-calls.ts";

/** The environment variables that select the store of a command: the folder's file, or a database. */
export type CommandPlace = Readonly<Record<string, string>>;

/** A folder with a gateway for one insurer, and functions that run the gateway and its commands in the folder. */
export interface OperatorFolder extends GatewayFolder {
  readonly file: string;
  /** Runs a command in the folder. */
  run(place: CommandPlace, ...parameters: readonly string[]): Promise<Ended>;
  /** Starts a gateway on a store, sends submissions, and stops the gateway. */
  sendAll(place: CommandPlace, sendables: readonly Sendable[]): Promise<readonly Reply[]>;
}

/** Creates a folder with a gateway for one insurer. */
export function makeOperatorFolder(insurer: string): OperatorFolder {
  const folder = makeGatewayFolder({ providers: [insurerConfiguration("d", insurer)] });
  return {
    ...folder,
    file: join(folder.path, "data", "submissions.sqlite"),
    run: (place, ...parameters) => runCommand(folder.path, parameters, place),
    async sendAll(place, sendables) {
      const gateway = await startGatewayProcess(folder.path, place);
      try {
        const token = await developmentToken(folder.path);
        const replies: Reply[] = [];
        for (const sendable of sendables)
          replies.push(await send({ address: gateway.address, token }, sendable));
        return replies;
      } finally {
        await gateway.stop();
      }
    },
  };
}

/** Returns new submissions, each with a key. */
export function newSendables(count: number): readonly Sendable[] {
  return Array.from({ length: count }, newSendable);
}

/** Starts a command, waits for an event, and kills the command. */
export async function killWhen(
  folder: GatewayFolder,
  { parameters, place }: { readonly place: CommandPlace; readonly parameters: readonly string[] },
  happened: () => Promise<void>,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...parameters], {
    cwd: folder.path,
    env: programEnvironment(place),
  });
  const ended = endOf(child);
  await happened();
  child.kill("SIGKILL");
  return ended;
}

/**
 * The values of the columns in which a copy differs from the copied submission. A copy has another id and other
 * digests, and needs manual review.
 */
const COPIED_COLUMNS: Readonly<Record<string, string>> = {
  id: "randomblob(16)",
  key_digest: "randomblob(16)",
  content_digest: "randomblob(16)",
  match_digest: "randomblob(16)",
  state: "'needs_review'",
  insurer_id: "NULL",
  match_fields: "randomblob(120)",
  answer: "NULL",
  answer_until: "NULL",
  forget_at: "NULL",
  next_query_at: "NULL",
};

/** Adds copies of the first submission to a SQLite file. */
export function fillFile(file: string, count: number): void {
  const database = new DatabaseSync(file);
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('gateway_submissions') WHERE name <> 'number'")
    .all()
    .map(({ name }) => String(name));
  const values = columns.map((name) => COPIED_COLUMNS[name] ?? name);
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO gateway_submissions (${columns.join(", ")}) SELECT ${values.join(", ")}
    FROM numbers, (SELECT * FROM gateway_submissions ORDER BY number LIMIT 1)`);
  database.close();
}
