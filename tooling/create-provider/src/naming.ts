import { reservedSegments } from "@insurance-gateway/core/runtime";

/** The names of a scaffolded provider, in every form that its files use. */
export interface ProviderNames {
  /** The folder, the path segment and the package's own name: `provider-x`. */
  readonly id: string;
  /** The exported constant: `providerX`. */
  readonly constant: string;
  /** The name a person reads: `Provider X`. */
  readonly name: string;
}

/** The person who asked for a provider has to ask for it otherwise; the message says how. */
export class Refusal extends Error {}

/**
 * Names a provider.
 * @param id - its path segment
 * @param name - the name for people (default: made of the id)
 * @throws Refusal when the gateway could not serve it under that id or the name is invalid in the files
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

/** `provider-x` → `Provider X`. */
function titleOf(id: string): string {
  return id
    .split("-")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(" ");
}

/** `provider-x` → `providerX`; one word alone could be a word of the language, so `acme` → `acmeProvider`. */
function constantOf(id: string): string {
  if (!id.includes("-")) return `${id}Provider`;
  return id.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
