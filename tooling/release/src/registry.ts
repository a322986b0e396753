import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseRefused } from "./refusal.ts";

/** A version in a registry. */
export interface PublishedVersion {
  readonly version: string;
  /** The address of the tarball. */
  readonly tarball: string;
  /** The checksum in the format of Subresource Integrity: `sha512-…`. */
  readonly integrity: string;
}

/** A package in a registry. */
export interface PublishedPackage {
  readonly versions: readonly string[];
  /** The version that `npm install` installs by default. */
  readonly latest: PublishedVersion;
}

/** The used part of a registry's answer. */
interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<
    Record<string, { readonly dist: { readonly tarball: string; readonly integrity: string } }>
  >;
}

/**
 * Returns the address of a package in a registry: `https://host/repository/npm/@scope%2fname`.
 * @param registry - the registry's address, with or without a slash at the end
 */
export function addressOf(registry: string, name: string): URL {
  return new URL(name.replace("/", "%2f"), registry.replace(/\/*$/, "/"));
}

/** Returns parameters that make npm use a registry, even if an npmrc sets another one for the scope. */
export function registryParameters(registry: string): readonly string[] {
  return ["--registry", registry, `--@insurance-gateway:registry=${registry}`];
}

/**
 * Looks a package up in a registry.
 * @returns null if the registry does not have the package
 * @throws ReleaseRefused if the registry does not answer
 */
export async function findPublished(
  registry: string,
  name: string,
): Promise<PublishedPackage | null> {
  const address = addressOf(registry, name);
  const { body, status } = await request(address, "application/vnd.npm.install-v1+json");
  if (status === 404) return null;
  if (!isSuccess(status)) throw unavailable(address, `answered ${status}`);
  // Registries document this abbreviated metadata.
  const { "dist-tags": tags, versions } = JSON.parse(body.toString()) as Packument;
  const version = tags.latest ?? "";
  const dist = versions[version]?.dist;
  return dist === undefined
    ? null
    : { versions: Object.keys(versions), latest: { version, ...dist } };
}

/**
 * Downloads a version, verifies its checksum and unpacks it.
 * @returns the folder with package.json
 * @throws ReleaseRefused if the checksum is wrong
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

/** Unpacks a tarball and returns the folder with package.json. */
export function unpack(tarball: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  return join(folder, "package");
}

/** A registry's answer with its whole body. */
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
    // A release takes minutes, so a single broken connection should not end it.
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
