import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { diskFiles } from "./files.ts";
import type { Configuration, Environment } from "./load.ts";
import { readOrCreate } from "./own-file.ts";
import { createReadSecret, type ReadSecret } from "./secrets.ts";

/** A key with which the gateway encrypts data in the store, by AES-256-GCM. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/**
 * Retention times of submissions' data, in milliseconds. The retention time of answers is measured by the clock, the
 * others in running time, which passes only while gateways run.
 */
export interface Retention {
  /** Retention of the answer for repeated requests. */
  readonly answerMs: number;
  /** Retention of the digest of an idempotency key, so that the gateway never sends a submission with the key again. */
  readonly digestsMs: number;
  /**
   * Time after a submission's success in which a request with the same content counts as a repetition of this
   * submission.
   */
  readonly sameContentMs: number;
}

/** The place of the store: a SQLite file or a PostgreSQL database. */
export interface StorePlace {
  /** The folder of the SQLite file. */
  readonly data: string;
  /** A PostgreSQL connection string, which takes precedence over the file. */
  readonly databaseUrl: string | undefined;
}

const KEY_BYTES = 32;
/** The id of the encryption key that the first start creates. */
const OWN_KEY_ID = "made-on-first-start";

/**
 * Reads the configured keys that encrypt stored data of submissions.
 * @param fault - called for every fault, with its path
 */
export function readSubmissionKeys(
  { submissions }: Pick<Configuration, "submissions">,
  readSecret: ReadSecret,
  fault: (fault: string) => void,
): readonly EncryptionKey[] {
  return submissions.keys.map(({ id, secret }, index) => {
    const faultHere = (message: string): void =>
      fault(`submissions.keys[${index}].secret: ${message}`);
    const text = readSecret(secret, faultHere);
    const bytes = Buffer.from(text, "base64");
    if (text !== "" && bytes.byteLength !== KEY_BYTES)
      faultHere("must be 32 bytes in base64; create one with `openssl rand -base64 32`");
    return { id, secret: bytes };
  });
}

/**
 * Returns the keys that encrypt stored data of submissions. If no key is configured, the first start creates a key in
 * the data folder.
 * @param mode - a serving gateway creates a missing key; a command requires that the key exists
 * @throws ConfigurationError if a key cannot be used
 */
export async function openSubmissionKeys(
  configuration: Configuration,
  environment: Environment,
  mode: "serve" | "beside",
): Promise<readonly [EncryptionKey, ...EncryptionKey[]]> {
  const { folder, source } = configuration;
  const faults: string[] = [];
  const readSecret = createReadSecret(environment, folder, diskFiles);
  const keys = readSubmissionKeys(configuration, readSecret, (fault) => faults.push(fault));
  if (faults.length > 0) throw new ConfigurationError(source, faults);
  const [first, ...rest] = keys;
  return first === undefined ? [await openOwnKey(configuration, mode)] : [first, ...rest];
}

async function openOwnKey(
  { data, source }: Configuration,
  mode: "serve" | "beside",
): Promise<EncryptionKey> {
  const file = join(data, "submissions.key");
  if (mode === "beside" && !existsSync(file))
    throw new ConfigurationError(source, [
      `${file} does not exist; run the command in the gateway's folder, or with its submissions.keys`,
    ]);
  const text = await readOrCreate(file, () => randomBytes(KEY_BYTES).toString("base64"));
  const secret = Buffer.from(text.trim(), "base64");
  if (secret.byteLength !== KEY_BYTES)
    throw new ConfigurationError(source, [
      `${file} must contain a key of 32 bytes in base64; without the key, stored data cannot be decrypted`,
    ]);
  return { id: OWN_KEY_ID, secret };
}

const HOUR_MS = 3_600_000;

/** Returns the retention times of a configuration. */
export function retentionOf({ submissions }: Configuration): Retention {
  return {
    answerMs: submissions.answerKeptHours * HOUR_MS,
    digestsMs: submissions.keyRetentionDays * 24 * HOUR_MS,
    sameContentMs: submissions.sameContentHours * HOUR_MS,
  };
}

/** Returns the place of the store: the database of DATABASE_URL, or a file in the data folder. */
export function storePlace({ data }: Configuration, environment: Environment): StorePlace {
  return { data, databaseUrl: environment.DATABASE_URL };
}
