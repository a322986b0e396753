import type { Endpoint } from "../contract/endpoint.ts";
import { type Fault, isPlainName } from "../contract/faults.ts";
import { nearestNames } from "../contract/nearest-names.ts";
import { ConfigurationError } from "../errors/index.ts";
import { isObjectOrList } from "./object-or-list.ts";

/** Reports whether a value is an object, but not a list. */
export function isObjectNotList(value: unknown): value is object {
  return isObjectOrList(value) && !Array.isArray(value);
}

/**
 * Returns the faults of a call's argument: a wrong type, unknown names, wrong options. `prepareRequest` checks the
 * input fields of the argument.
 * @param ofKey - names of the options for a submission's key
 */
export function argumentFaults(
  endpoint: Endpoint,
  argument: unknown,
  ofKey: readonly string[] = ["idempotencyKey", "keyIsGenerated"],
): readonly Fault[] {
  const parts = (["params", "query", "body"] as const).filter(
    (part) => endpoint[part] !== undefined,
  );
  if (!isObjectNotList(argument))
    return [
      {
        pointer: "",
        code: "TYPE",
        message: `must be an object with ${parts.join(", ") || "the options of the call"}`,
      },
    ];
  // The gateway's own endpoints have no path segment.
  const ofProvider = endpoint.provider === "" ? [] : ["segment"];
  const known = [...parts, "headers", "mediaType", "signal", "timeout", ...ofProvider, ...ofKey];
  const lacksBody = endpoint.body !== undefined && !("body" in argument);
  return faultsOfValues(argument, known, (name) =>
    lacksBody
      ? unknownNameFault(name, ["body"], "put the fields of the body into `body`")
      : unknownNameFault(name, known, ""),
  );
}

/**
 * Checks the options of a function that calls no endpoint.
 * @throws ConfigurationError with every fault
 */
export function checkOptions(options: unknown, known: readonly string[]): void {
  if (!isObjectNotList(options)) throw new ConfigurationError(["the options must be an object"]);
  const faults = optionFaults(options, known);
  if (faults.length > 0) throw new ConfigurationError(faults);
}

/** Returns the faults of the names and types of options, as texts. */
export function optionFaults(options: object, known: readonly string[]): readonly string[] {
  return faultsOfValues(options, known, (name) => unknownNameFault(name, known, "")).map(
    ({ message, pointer }) => `${pointer.slice(1) || "an option"} ${message}`,
  );
}

/** Reports whether a value is a valid segment of a path. */
export function isSegment(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9._~-]+$/.test(value) && !/^\.+$/.test(value);
}

function faultsOfValues(
  values: object,
  known: readonly string[],
  unknownFault: (name: string) => Fault,
): readonly Fault[] {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return [
    ...given.filter(([name]) => !known.includes(name)).map(([name]) => unknownFault(name)),
    ...given.flatMap(([name, value]) => optionFault(name, value) ?? []),
  ];
}

/** Returns the fault of an unknown name. An unusual name may be personal data, so the fault does not repeat it. */
function unknownNameFault(name: string, known: readonly string[], otherwise: string): Fault {
  return {
    pointer: isPlainName(name) ? `/${name}` : "",
    code: "UNKNOWN_FIELD",
    message: ["is not accepted", spellingSuggestion(name, known) ?? otherwise]
      .filter(Boolean)
      .join("; "),
  };
}

/** Returns a question that suggests the most similar known name, or null without a similar name. */
function spellingSuggestion(name: string, known: readonly string[]): string | null {
  const sameLetters = known.find((one) => one.toLowerCase() === name.toLowerCase());
  const nearest = sameLetters ?? nearestNames(name, known)[0];
  return nearest === undefined ? null : `did you mean \`${nearest}\`?`;
}

function optionFault(name: string, value: unknown): Fault | null {
  const rule = Object.hasOwn(optionRules, name) ? optionRules[name] : undefined;
  return rule === undefined || rule.holds(value)
    ? null
    : { pointer: `/${name}`, code: "TYPE", message: rule.message };
}

const optionRules: Readonly<
  Record<string, { readonly holds: (value: unknown) => boolean; readonly message: string }>
> = {
  // The remaining time of a deadline may be 0 or negative. The call times out then.
  timeout: {
    holds: (value) => typeof value === "number" && !Number.isNaN(value),
    message: "must be a number of milliseconds",
  },
  signal: {
    holds: (value) => isObjectOrList(value) && "aborted" in value && "addEventListener" in value,
    message: "must be an AbortSignal",
  },
  keyIsGenerated: {
    holds: (value) => typeof value === "boolean",
    message: "must be true or false",
  },
  segment: { holds: isSegment, message: "must be one path segment" },
  headers: { holds: isObjectNotList, message: "must be an object with names and texts" },
};
