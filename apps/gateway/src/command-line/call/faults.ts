import type { Fault } from "@insurance-gateway/core";
import type { CallFlag } from "./flags.ts";

/** Where core reports faults of what every call has, and the flags of them. */
const commonFlags: readonly (readonly [pointer: RegExp, flag: string])[] = [
  [/^\/idempotencyKey$/, "--idempotency-key"],
  [/^\/headers\//, "--scenario"],
];

/** Says each fault by the flag that gives the value, a line each. */
export function faultLines(
  faults: readonly Fault[],
  flags: readonly CallFlag[],
): readonly string[] {
  return [...new Set(faults.flatMap((fault) => linesOf(fault, flags)))];
}

function linesOf({ code, message, pointer }: Fault, flags: readonly CallFlag[]): readonly string[] {
  const [exact] = flags.filter((flag) => flag.pointer === pointer);
  if (exact !== undefined) return [`${exact.name} ${message}`];
  // An object that is missing is missing its required values.
  const below = flags.filter((flag) => flag.required && flag.pointer.startsWith(`${pointer}/`));
  if (code === "REQUIRED" && below.length > 0) return below.map(({ name }) => `${name} ${message}`);
  const [around] = flags.filter((flag) => pointer.startsWith(`${flag.pointer}/`));
  const common = commonFlags.find(([place]) => place.test(pointer));
  const flag = around?.name ?? common?.[1];
  if (flag !== undefined)
    return [`${flag} ${around === undefined ? "" : `(${pointer}) `}${message}`];
  const [, place] = /^\/query(\/.*)?$/.exec(pointer) ?? [null];
  if (place !== undefined && pointer.startsWith("/query"))
    return [`--query ${place === null ? "" : `(${place}) `}${message}`];
  return [`--body ${pointer === "" ? "" : `(${pointer}) `}${message}`];
}
