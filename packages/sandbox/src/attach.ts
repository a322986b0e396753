import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createTransport, type Transport } from "@insurance-gateway/core/transport";
import type { AttachAnswer, PublishedScenario } from "./control.ts";
import { readAddress, type SandboxOrder } from "./order.ts";

/** A sandbox process that this gateway uses. */
export interface AttachedSandbox {
  /** Its base address; a provider's stand-in is at `/{provider id}` below it. */
  readonly address: string;
  readonly scenarios: readonly PublishedScenario[];
  /** Leaves the sandbox, which ends when nobody else is attached. */
  detach(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/**
 * Attaches to the sandbox process of a folder, and starts it when none is running there or the running one
 * serves something else. It is a process of its own: it outlives a gateway that is killed, and the next one
 * finds it again, with everything it kept.
 * @param folder - where the sandbox keeps its records and its address
 * @param sandboxes - the files of the providers' `./sandbox`
 */
export async function attachSandbox(
  folder: string,
  sandboxes: readonly string[],
): Promise<AttachedSandbox> {
  const order: SandboxOrder = { folder, sandboxes, fingerprint: fingerprintOf(sandboxes) };
  const transport = createTransport({ connectTimeoutMs: 1_000 });
  const say = (address: string): Promise<AttachAnswer | null> =>
    control(transport, "PUT", `${address}/-/attachments/${process.pid}`);

  const running = readAddress(join(folder, "address.json"));
  let address = running;
  let answer = running === null ? null : await say(running);
  if (address === null || answer?.fingerprint !== order.fingerprint) {
    if (answer !== null) await control(transport, "DELETE", `${address}/-/`);
    address = await start(order);
    answer = await say(address);
  }
  if (answer === null) throw new Error("The sandbox process started but does not answer");

  const found = address;
  return {
    address: found,
    scenarios: answer.scenarios,
    async detach() {
      await control(transport, "DELETE", `${found}/-/attachments/${process.pid}`);
      await transport.close();
    },
  };
}

/** Asks the sandbox's control; null when it is not there. */
async function control(
  transport: Transport,
  method: string,
  url: string,
): Promise<AttachAnswer | null> {
  try {
    const { body } = await transport.send({ method, url, headers: {}, timeoutMs: 5_000 });
    const text = await body.text(1024 * 1024);
    // Only the sandbox's own control answers at this address.
    return text === "" ? null : (JSON.parse(text) as AttachAnswer);
  } catch {
    return null;
  }
}

/** The same as long as the providers' files are: rebuilt or other sandboxes need a new process. */
function fingerprintOf(sandboxes: readonly string[]): string {
  const files = sandboxes.map((file) => `${file} ${statSync(file).mtimeMs}`);
  return createHash("sha256").update(files.join("\n")).digest("hex");
}

function start(order: SandboxOrder): Promise<string> {
  mkdirSync(order.folder, { recursive: true });
  const logFile = join(order.folder, "sandbox.log");
  const log = openSync(logFile, "w");
  const program = createRequire(import.meta.url).resolve("@insurance-gateway/sandbox/main");
  const child = spawn(process.execPath, [...process.execArgv, program, JSON.stringify(order)], {
    // A group of its own, so that Ctrl-C in a terminal reaches the gateway alone.
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  return started(child, logFile);
}

function started(child: ChildProcess, logFile: string): Promise<string> {
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
