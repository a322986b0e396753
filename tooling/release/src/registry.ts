import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseRefused } from "./refusal.ts";

/** A version that a registry has. */
export interface PublishedVersion {
  readonly version: string;
  /** The address of its tarball. */
  readonly tarball: string;
  /** Its checksum as Subresource Integrity writes it: `sha512-…`. */
  readonly integrity: string;
}

/** A package in a registry. */
export interface PublishedPackage {
  readonly versions: readonly string[];
  /** The version that `npm install` takes. */
  readonly latest: PublishedVersion;
}

/** The part of a registry's answer that is read here. */
interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly tarball: string; readonly integrity: string } }>
  >;
}

/**
 * The address of a package in a registry: `https://host/repository/npm/@scope%2fname`.
 * @param registry - with or without a slash at its end
 */
export function addressOf(registry: string, name: string): URL {
  return new URL(name.replace("/", "%2f"), registry.replace(/\/*$/, "/"));
}

/** The parameters that send a call of npm to a registry, whatever registry an npmrc names for the scope. */
export function registryParameters(registry: string): readonly string[] {
  return ["--registry", registry, `--@insurance-gateway:registry=${registry}`];
}

/**
 * Asks a registry for a package.
 * @returns null when the registry does not have it
 * @throws ReleaseRefused when the registry does not answer
 */
export async function findPublished(
  registry: string,
  name: string,
): Promise<PublishedPackage | null> {
  const address = addressOf(registry, name);
  const { body, status } = await request(address, "application/vnd.npm.install-v1+json");
  if (status === 404) return null;
  if (!isSuccess(status)) throw unavailable(address, `answered ${status}`);
  // The abbreviated metadata that registries document.
  const { "dist-tags": tags, versions } = JSON.parse(body.toString()) as Packument;
  const version = tags.latest ?? "";
  const dist = versions[version]?.dist;
  return dist === undefined
    ? null
    : { versions: Object.keys(versions), latest: { version, ...dist } };
}

/**
 * Downloads a version, checks its checksum and unpacks it.
 * @returns the folder with its package.json
 * @throws ReleaseRefused when the registry sends something else than it announced
 */
export async function unpackPublished(
  { integrity, tarball }: PublishedVersion,
  folder: string,
): Promise<string> {
  const { body: bytes, status } = await request(new URL(tarball), "application/octet-stream");
  if (!isSuccess(status)) throw unavailable(new URL(tarball), `answered ${status}`);
  const [algorithm = "", expected] = integrity.split(/-(.*)/);
  if (createHash(algorithm).update(bytes).digest("base64") !== expected)
    throw unavailable(new URL(tarball), "sent bytes with another checksum");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "published.tgz");
  writeFileSync(file, bytes);
  return unpack(file, folder);
}

/** Unpacks a tarball and returns the folder with its package.json. */
export function unpack(tarball: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  return join(folder, "package");
}

/** A registry's answer, with its whole body. */
interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

async function request(address: URL, accept: string): Promise<Answer> {
  const signal = AbortSignal.timeout(60_000);
  const ask = async (): Promise<Answer> => {
    const response = await fetch(address, { headers: { accept }, signal });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
  try {
    // A release takes minutes, so one broken connection does not end it.
    return await ask().catch((error: unknown) => {
      if (signal.aborted) throw error;
      return ask();
    });
  } catch {
    throw unavailable(address, signal.aborted ? "did not answer in time" : "cannot be reached");
  }
}

function unavailable({ origin }: URL, what: string): ReleaseRefused {
  return new ReleaseRefused([
    {
      reason: `The registry ${origin} ${what}.`,
      remedy: "Try again later, or name another registry with --registry.",
    },
  ]);
}
