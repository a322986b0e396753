import type { Endpoint, Schema } from "@insurance-gateway/core/contract";
import { type InputChecker, inputChecker, pathSegments } from "@insurance-gateway/core/runtime";
import { readsWhatWasSent } from "./json-schemas.ts";
import { type LeafMemo, newLeafMemo } from "./leaf-values.ts";

/** The cache of one run of the conformance suite, because each endpoint, path and schema is needed many times. */
export interface RunCache {
  readonly checkerOf: (endpoint: Endpoint) => InputChecker;
  readonly readsWhatWasSent: (schema: Schema<unknown>) => boolean;
  readonly pathReaderOf: (template: string) => PathReader;
  readonly leaves: LeafMemo;
}

/** A function that reads the decoded parameters of a path. Returns null if the path does not match the template. */
export type PathReader = (path: string) => Readonly<Record<string, string>> | null;

export function newRunCache(): RunCache {
  return {
    checkerOf: memoized((endpoint: Endpoint) => inputChecker(endpoint)),
    readsWhatWasSent: memoized(readsWhatWasSent),
    pathReaderOf: memoized(pathReader),
    leaves: newLeafMemo(),
  };
}

/** Returns a copy of a function that computes each result once and then returns the cached result. */
function memoized<Argument, Result>(
  make: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = new Map<Argument, Result>();
  return (argument) => {
    const cached = results.get(argument);
    if (cached !== undefined) return cached;
    const result = make(argument);
    results.set(argument, result);
    return result;
  };
}

function pathReader(template: string): PathReader {
  const names: string[] = [];
  const pattern = (pathSegments(template) ?? [])
    .map(({ after, before, parameter }) => {
      if (parameter !== null) names.push(parameter);
      return `/${escaped(before)}${parameter === null ? "" : "([^/]+)"}${escaped(after)}`;
    })
    .join("");
  const whole = new RegExp(`^${pattern}$`);
  return (path) => {
    const found = whole.exec(path);
    if (found === null) return null;
    return Object.fromEntries(
      names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? "")]),
    );
  };
}

/** Escapes a literal for a regular expression. The dot is the only special character that a template allows. */
function escaped(literal: string): string {
  return literal.replaceAll(".", "\\.");
}
