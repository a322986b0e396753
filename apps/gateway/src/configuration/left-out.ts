import type * as z from "zod";
import type { ConfigurationFile } from "./file.ts";
import { configurationSchema } from "./schema.ts";

/** A valid provider that replaces a provider with faults, so that the other providers keep their indexes. */
const PLACEHOLDER_PROVIDER = { package: "-", upstream: "sandbox" };

/**
 * A valid claim that replaces an invalid claim. Without a claim, settings that accounts supply would count as missing.
 */
const PLACEHOLDER_CLAIM = { claim: "-" };

/** Returns a valid account that replaces an account with faults. */
const placeholderAccount = (index: number): object => ({
  id: `${index}.left-out`,
  tenant: { issuer: "-", name: `${index}` },
  segment: "-",
});

/**
 * Removes or replaces the faulty parts of a configuration, so that the other parts can be checked. A part is a section,
 * a provider, or a part of an account. A removed section gets its defaults.
 * @returns the remaining configuration, null if nothing remains, and the keys of the removed parts
 */
export function removeFaultyParts(
  content: unknown,
  issues: readonly z.core.$ZodIssue[],
): { readonly data: ConfigurationFile | null; readonly leftOut: readonly string[] } {
  if (!isObject(content)) return { data: null, leftOut: [] };
  const leftOut = new Set(issues.flatMap(keysToRemove));
  const { accounts, providers } = content;
  const left = {
    ...withoutMembers(content, leftOut),
    providers:
      Array.isArray(providers) && providers.length > 0
        ? providers.map((one: unknown, index) =>
            leftOut.has(`providers[${index}]`) ? PLACEHOLDER_PROVIDER : one,
          )
        : [PLACEHOLDER_PROVIDER],
    accounts: checkableAccounts(leftOut.has("accounts") ? undefined : accounts, leftOut),
  };
  const checked = configurationSchema.safeParse(left);
  return { data: checked.success ? checked.data : null, leftOut: [...leftOut] };
}

/** Returns the keys of the parts that must be removed because of a fault. */
function keysToRemove(issue: z.core.$ZodIssue): readonly string[] {
  const [section, second, index, part] = issue.path;
  const unknown = issue.code === "unrecognized_keys" ? issue.keys : null;
  if (section === undefined) return unknown ?? [];
  if (section === "providers" && typeof second === "number") return [`providers[${second}]`];
  if (section !== "accounts") return [String(section)];
  if (second === undefined) return unknown?.map((key) => `accounts.${key}`) ?? ["accounts"];
  if (second !== "list" || typeof index !== "number") return [`accounts.${String(second)}`];
  const account = `accounts.list[${index}]`;
  if (part !== undefined) return [`${account}.${String(part)}`];
  return unknown?.map((key) => `${account}.${key}`) ?? [account];
}

function checkableAccounts(accounts: unknown, leftOut: ReadonlySet<string>): unknown {
  const isClaimKnown = !leftOut.has("accounts") && !leftOut.has("accounts.claim");
  if (!isObject(accounts)) return isClaimKnown ? accounts : PLACEHOLDER_CLAIM;
  const { list } = accounts;
  return {
    ...(isClaimKnown ? {} : PLACEHOLDER_CLAIM),
    ...withoutMembers(accounts, leftOut, "accounts."),
    ...(Array.isArray(list) ? { list: list.map(accountLeft) } : {}),
  };

  function accountLeft(one: unknown, index: number): unknown {
    const key = `accounts.list[${index}]`;
    return isObject(one)
      ? { ...placeholderAccount(index), ...withoutMembers(one, leftOut, `${key}.`) }
      : placeholderAccount(index);
  }
}

/** Returns the members of an object that are not removed. */
function withoutMembers(
  members: Readonly<Record<string, unknown>>,
  leftOut: ReadonlySet<string>,
  prefix = "",
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(members).filter(([name]) => !leftOut.has(prefix + name)),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
