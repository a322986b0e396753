import { reservedSegments } from "@insurance-gateway/core/runtime";

/** The names of a new provider in every form that its files use. */
export interface ProviderNames {
  /** The folder, the path segment and the package name: `provider-x`. */
  readonly id: string;
  /** The exported constant: `providerX`. */
  readonly constant: string;
  /** The display name: `Provider X`. */
  readonly name: string;
}

/** The refusal to write a requested provider. The message describes how to change the request. */
export class Refusal extends Error {}

/**
 * Derives the names of a provider.
 * @param id - the provider's path segment
 * @param name - the display name (default: derived from the id)
 * @throws Refusal if the gateway could not serve the id, or if the name is not valid in the files
 */
export function nameProvider(id: string, name: string = titleOf(id)): ProviderNames {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > 40)
    throw new Refusal(
      `"${id}" cannot be a provider's id, which is its path segment. Use at most 40 lower-case letters, ` +
        "digits and single dashes, beginning with a letter: provider-x",
    );
  if (reservedSegments.includes(id))
    throw new Refusal(
      `/${id} is a path of the gateway's own. Use another id, such as provider-${id}.`,
    );
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,&'()+-]{0,59}$/u.test(name))
    throw new Refusal(
      `"${name}" cannot be a provider's name. Use at most 60 letters, digits, spaces and . , & ' ( ) + -, ` +
        'beginning with a letter or digit: --name "Provider X"',
    );
  return { id, constant: constantOf(id), name };
}

/** Derives a display name: `provider-x` → `Provider X`. */
function titleOf(id: string): string {
  return id
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(" ");
}

/**
 * Derives the name of a constant: `provider-x` → `providerX`. A single word could be reserved: `acme` → `acmeProvider`.
 */
function constantOf(id: string): string {
  if (!id.includes("-")) return `${id}Provider`;
  return id.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
