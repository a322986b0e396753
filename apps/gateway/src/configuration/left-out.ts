import type * as z from "zod";
import type { ConfigurationFile } from "./file.ts";
import { configurationSchema } from "./schema.ts";

/** Replaces a provider that has faults, so that the indexes of the others do not change. */
const NO_PROVIDER = { package: "-", upstream: "sandbox" };

/** A claim in place of one that has faults: whether accounts complete the providers' settings is not known then. */
const NO_CLAIM = { claim: "-" };

/** A valid account that replaces one with faults. */
const noAccount = (index: number): object => ({
  id: `${index}.left-out`,
  tenant: { issuer: "-", name: `${index}` },
  segment: "-",
});

/**
 * Leaves out what has faults, so that the rest can be checked further: sections of the file, which have defaults, providers,
 * and of the accounts each part alone.
 * @returns the keys of what was left out; data is null when nothing is left
 */
export function withoutFaulty(
  content: unknown,
  issues: readonly z.core.$ZodIssue[],
): { readonly data: ConfigurationFile | null; readonly leftOut: readonly string[] } {
  if (!isObject(content)) return { data: null, leftOut: [] };
  const leftOut = new Set(issues.flatMap(keysOf));
  const { accounts, providers } = content;
  const left = {
    ...kept(content, leftOut),
    providers:
      Array.isArray(providers) && providers.length > 0
        ? providers.map((one: unknown, index) =>
            leftOut.has(`providers[${index}]`) ? NO_PROVIDER : one,
          )
        : [NO_PROVIDER],
    accounts: accountsLeft(leftOut.has("accounts") ? undefined : accounts, leftOut),
  };
  const checked = configurationSchema.safeParse(left);
  return { data: checked.success ? checked.data : null, leftOut: [...leftOut] };
}

/** The keys of what an issue is about, as far as it is left out. */
function keysOf(issue: z.core.$ZodIssue): readonly string[] {
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

function accountsLeft(accounts: unknown, leftOut: ReadonlySet<string>): unknown {
  const isClaimKnown = !leftOut.has("accounts") && !leftOut.has("accounts.claim");
  if (!isObject(accounts)) return isClaimKnown ? accounts : NO_CLAIM;
  const { list } = accounts;
  return {
    ...(isClaimKnown ? {} : NO_CLAIM),
    ...kept(accounts, leftOut, "accounts."),
    ...(Array.isArray(list) ? { list: list.map(accountLeft) } : {}),
  };

  function accountLeft(one: unknown, index: number): unknown {
    const key = `accounts.list[${index}]`;
    return isObject(one)
      ? { ...noAccount(index), ...kept(one, leftOut, `${key}.`) }
      : noAccount(index);
  }
}

/** The members of an object that are not left out. */
function kept(
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
