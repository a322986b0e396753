import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createTransport, type Transport } from "@insurance-gateway/core/transport";
import type { AttachAnswer } from "./control.ts";
import { readAddress, type StartInstructions } from "./order.ts";

/** A sandbox process that the calling gateway uses. */
export interface AttachedSandbox {
  /** Base address of the sandbox. A provider's simulated insurer is at `/{provider id}` below this address. */
  readonly address: string;
  readonly scenarios: AttachAnswer["scenarios"];
  /** Gateway settings for each simulated insurer, by the provider's id. */
  readonly settings: AttachAnswer["settings"];
  /** Credentials that each simulated insurer requires, by the provider's id. */
  readonly credentials: AttachAnswer["credentials"];
  /** Detaches from the sandbox, which stops if no other process is attached. */
  detach(): Promise<void>;
}

/** Program of the sandbox process: this package's `./main`. */
const SANDBOX_PROGRAM = createRequire(import.meta.url).resolve("@insurance-gateway/sandbox/main");
const START_TIMEOUT_MS = 30_000;

/**
 * Attaches to the sandbox process of a folder. Starts a process if none is running, or if the running process serves
 * other providers. The process is independent: if a gateway is killed, the sandbox continues to run, and the next
 * gateway that attaches finds all records.
 * @param folder - where the sandbox stores its records and its address
 * @param sandboxes - paths of the modules that the provider packages export as `./sandbox`
 * @throws Error if the process does not start, or if another gateway uses the folder for other providers
 */
export async function attachSandbox(
  folder: string,
  sandboxes: readonly string[],
): Promise<AttachedSandbox> {
  const instructions: StartInstructions = {
    folder,
    sandboxes,
    fingerprint: fingerprintOf(sandboxes),
  };
  const transport = createTransport({ connectTimeoutMs: 1_000 });
  const running = await findRunningSandbox(transport, instructions);
  const address = running ?? (await startOrJoin(transport, instructions));
  const answer = await attachTo(transport, address);
  if (answer === null) throw new Error("The sandbox process started but does not answer");
  return {
    address,
    scenarios: answer.scenarios,
    settings: answer.settings,
    credentials: answer.credentials,
    async detach() {
      await callControlRoute(transport, "DELETE", `${address}/-/attachments/${process.pid}`);
      await transport.close();
    },
  };
}

/** Returns the address of a running sandbox with the same files. Stops an unused sandbox with other files. */
async function findRunningSandbox(
  transport: Transport,
  instructions: StartInstructions,
): Promise<string | null> {
  const address = readAddress(join(instructions.folder, "address.json"));
  if (address === null) return null;
  const fingerprint = (await callControlRoute(transport, "GET", `${address}/-/`))?.fingerprint;
  if (fingerprint === instructions.fingerprint) return address;
  if (fingerprint === undefined) return null;
  // A sandbox that ends by itself at this moment does not answer.
  const stopped = await send(transport, "DELETE", `${address}/-/`).catch(() => null);
  if (stopped?.status === 409)
    throw new Error(
      `Another gateway uses the sandbox in ${instructions.folder} for other providers or from an older build: ` +
        "stop that gateway first",
    );
  return null;
}

/** Starts a sandbox. If two gateways start at the same time, the slower gateway uses the sandbox of the other. */
async function startOrJoin(transport: Transport, instructions: StartInstructions): Promise<string> {
  try {
    return await startSandbox(instructions);
  } catch (error) {
    const joined = await findRunningSandbox(transport, instructions);
    if (joined === null) throw error;
    return joined;
  }
}

function attachTo(transport: Transport, address: string): Promise<AttachAnswer | null> {
  return callControlRoute(transport, "PUT", `${address}/-/attachments/${process.pid}`);
}

/** Calls a control route of the sandbox. Returns null if there is no sandbox at the address. */
async function callControlRoute(
  transport: Transport,
  method: string,
  url: string,
): Promise<AttachAnswer | null> {
  try {
    const { status, text } = await send(transport, method, url);
    const answer: unknown = status === 200 ? JSON.parse(text) : null;
    const ours = typeof answer === "object" && answer !== null && "fingerprint" in answer;
    // Only a sandbox answers with a fingerprint.
    return ours && typeof answer.fingerprint === "string" ? (answer as AttachAnswer) : null;
  } catch {
    return null;
  }
}

async function send(
  transport: Transport,
  method: string,
  url: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const { body, status } = await transport.send({ method, url, headers: {}, timeoutMs: 5_000 });
  return { status, text: await body.text(1024 * 1024) };
}

/** Returns a fingerprint of the files of the providers and of the sandbox: a new build needs a new process. */
function fingerprintOf(sandboxes: readonly string[]): string {
  const folders = [SANDBOX_PROGRAM, ...sandboxes].map((file) => dirname(file));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .map((name) => `${folder}/${name} ${statSync(join(folder, name)).mtimeMs}`),
  );
  return createHash("sha256")
    .update([...sandboxes, ...files].join("\n"))
    .digest("hex");
}

/** Starts a sandbox process and returns its address. */
function startSandbox(instructions: StartInstructions): Promise<string> {
  mkdirSync(instructions.folder, { recursive: true });
  const logFile = join(instructions.folder, "sandbox.log");
  const log = openSync(logFile, "w");
  // A sandbox that runs from source files needs the resolve conditions. The sandbox uses no other option of this
  // process.
  const conditions = process.execArgv.filter((flag) => flag.startsWith("--conditions="));
  const child = spawn(
    process.execPath,
    [...conditions, SANDBOX_PROGRAM, JSON.stringify(instructions)],
    {
      // A separate process group, so that Ctrl-C in a terminal reaches only the gateway.
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
    },
  );
  closeSync(log);
  return waitForStart(child, logFile);
}

/** Waits until a sandbox process reports its address. Stops a process that fails to start. */
function waitForStart(child: ChildProcess, logFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.kill();
      const words = readFileSync(logFile, "utf8").trim().split("\n").slice(-12).join("\n");
      reject(new Error(`The sandbox process ${what}. Its log, ${logFile}, ends:\n${words}`));
    };
    const timer = setTimeout(() => fail("did not start in time"), START_TIMEOUT_MS);
    child.once("exit", (code) => fail(`ended with code ${code}`));
    child.once("message", (message: { readonly address: string }) => {
      clearTimeout(timer);
      child.removeAllListeners();
      child.unref();
      resolve(message.address);
    });
  });
}
