import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { GatewayError, OutcomeUnknownError, type ProviderClient } from "@insurance-gateway/core";
import type { Application, MotorApplication, providerD } from "@insurance-gateway/provider-d";

type Client = Pick<ProviderClient<typeof providerD>, "createApplication">;

/** The idempotency key and the body of one submission, the same for every attempt. */
interface Submitted {
  readonly idempotencyKey: string;
  readonly body: MotorApplication;
}

/** The longest wait for a person at the desk. */
const LONGEST_WAIT_SECONDS = 30;

/**
 * Applies so that the insurer acts only once, even if this program stops halfway or the outcome is unknown. It writes
 * key and application to the file before the first call, and the next run continues with them. It removes the file
 * after a final answer. If the insurer acted and its answer is unusable, a person must check that and remove the file.
 */
export async function applyOnce(
  client: Client,
  file: string,
  body: MotorApplication,
): Promise<Application> {
  const earlier = await readKept(file);
  const submitted = earlier ?? (await keep(file, { idempotencyKey: randomUUID(), body }));
  const application = await submit(client, submitted).catch(async (error: unknown) => {
    if (isOver(error, earlier !== null)) await rm(file);
    throw error;
  });
  await rm(file);
  return application;
}

/** Submits. If it is unknown whether the insurer acted, it calls once more with the same key. */
async function submit(client: Client, submitted: Submitted): Promise<Application> {
  try {
    return await client.createApplication(submitted);
  } catch (error) {
    if (!OutcomeUnknownError.isInstance(error) || error.retry !== "same_key") throw error;
    const seconds = error.retryAfterSeconds ?? 0;
    if (seconds > LONGEST_WAIT_SECONDS) throw error;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    // The same key never takes effect twice: the gateway returns the result of the first call.
    return client.createApplication(submitted).catch((again: unknown) => {
      // The second call was not sent, which proves nothing about the first.
      throw GatewayError.isInstance(again) && again.outcome === "not_sent" ? error : again;
    });
  }
}

/** Whether the submission is finished: it was refused, or neither this run nor an earlier one sent it. */
function isOver(error: unknown, sentEarlier: boolean): boolean {
  if (!GatewayError.isInstance(error)) return false;
  return error.outcome === "rejected" || (error.outcome === "not_sent" && !sentEarlier);
}

async function readKept(file: string): Promise<Submitted | null> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  // The function below wrote the file.
  return text === null ? null : (JSON.parse(text) as Submitted);
}

/** Writes the file completely or not at all, readable only for this user. */
async function keep(file: string, submitted: Submitted): Promise<Submitted> {
  await writeFile(`${file}.new`, JSON.stringify(submitted), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return submitted;
}
