import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { GatewayError, OutcomeUnknownError, type ProviderClient } from "@insurance-gateway/core";
import type { Application, MotorApplication, providerD } from "@insurance-gateway/provider-d";

type Client = Pick<ProviderClient<typeof providerD>, "createApplication">;

/** What one submission is sent with, however often. */
interface Submitted {
  readonly idempotencyKey: string;
  readonly body: MotorApplication;
}

/** Longer than this, nobody waits at the desk. */
const LONGEST_WAIT_SECONDS = 30;

/**
 * Applies so that the insurer acts once, also when this program ends in the middle or nobody knows the outcome: key and
 * application are in the file before the first call, and the next run goes on with them. The file goes once there is a
 * final answer; if the insurer acted and its answer cannot be used, a person looks into it and removes the file.
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

/** Submits, and asks once more with the same key when nothing tells whether the insurer acted. */
async function submit(client: Client, submitted: Submitted): Promise<Application> {
  try {
    return await client.createApplication(submitted);
  } catch (error) {
    if (!OutcomeUnknownError.isInstance(error) || error.retry !== "same_key") throw error;
    const seconds = error.retryAfterSeconds ?? 0;
    if (seconds > LONGEST_WAIT_SECONDS) throw error;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    // The gateway never sends a key twice: it tells what became of the first.
    return client.createApplication(submitted).catch((again: unknown) => {
      // The second call never reached the insurer; that says nothing about the first.
      throw GatewayError.isInstance(again) && again.outcome === "not_sent" ? error : again;
    });
  }
}

/** Whether nothing is left of the submission to go on with: refused, or never sent by this run nor an earlier one. */
function isOver(error: unknown, sentEarlier: boolean): boolean {
  if (!GatewayError.isInstance(error)) return false;
  return error.outcome === "rejected" || (error.outcome === "not_sent" && !sentEarlier);
}

async function readKept(file: string): Promise<Submitted | null> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  // What is there was written below.
  return text === null ? null : (JSON.parse(text) as Submitted);
}

/** Writes it for this user alone, and whole or not at all. */
async function keep(file: string, submitted: Submitted): Promise<Submitted> {
  await writeFile(`${file}.new`, JSON.stringify(submitted), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return submitted;
}
