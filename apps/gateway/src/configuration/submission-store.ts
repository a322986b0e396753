import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";
import { diskFiles } from "./files.ts";
import type { Configuration, Environment } from "./load.ts";
import { readOrCreate } from "./own-file.ts";
import { createReadSecret, type ReadSecret } from "./secrets.ts";

/** A key that encrypts what is stored about submissions: AES-256-GCM. */
export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** Retention times in milliseconds: answers by the clock, the others by running time. */
export interface Retention {
  /** The answer, to be replayed. */
  readonly answerMs: number;
  /** The digests, so that the same key is never sent again. */
  readonly digestsMs: number;
  /** How long after its success was stored a submission counts for an equal request. */
  readonly sameContentMs: number;
}

/** Where submissions are kept. */
export interface StorePlace {
  /** The folder of the SQLite file. */
  readonly data: string;
  /** A PostgreSQL connection string, which overrides the file. */
  readonly databaseUrl: string | undefined;
}

const KEY_BYTES = 32;
/** The name of the key that the first start makes. */
const OWN_KEY_ID = "made-on-first-start";

/**
 * Reads the keys that encrypt what is stored about submissions, as far as the configuration names them.
 * @param fault - is called for everything that is wrong, with its path
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
      faultHere("must be 32 bytes in base64; `openssl rand -base64 32` makes one");
    return { id, secret: bytes };
  });
}

/**
 * The keys that encrypt what is stored about submissions; without any in the configuration, one that the first start
 * makes in the data folder.
 * @param mode - only a gateway that serves makes one; a command beside it must find it
 * @throws ConfigurationError when a key cannot be used
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
  return first === undefined ? [await ownKey(configuration, mode)] : [first, ...rest];
}

async function ownKey(
  { data, source }: Configuration,
  mode: "serve" | "beside",
): Promise<EncryptionKey> {
  const file = join(data, "submissions.key");
  if (mode === "beside" && !existsSync(file))
    throw new ConfigurationError(source, [
      `${file} does not exist: run this with the gateway's own folder, or its submissions.keys`,
    ]);
  const text = await readOrCreate(file, () => randomBytes(KEY_BYTES).toString("base64"));
  const secret = Buffer.from(text.trim(), "base64");
  if (secret.byteLength !== KEY_BYTES)
    throw new ConfigurationError(source, [
      `${file} has no key: it must be 32 bytes in base64; without the key, the data that it encrypted cannot be read`,
    ]);
  return { id: OWN_KEY_ID, secret };
}

const HOUR_MS = 3_600_000;

/** How long things are kept, in milliseconds. */
export function retentionOf({ submissions }: Configuration): Retention {
  return {
    answerMs: submissions.answerKeptHours * HOUR_MS,
    digestsMs: submissions.hashKeptDays * 24 * HOUR_MS,
    sameContentMs: submissions.sameContentHours * HOUR_MS,
  };
}

/** Where submissions are kept: the database that DATABASE_URL names, or a file in the data folder. */
export function storePlace({ data }: Configuration, environment: Environment): StorePlace {
  return { data, databaseUrl: environment.DATABASE_URL };
}
