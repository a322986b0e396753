import type { Schema } from "../contract/schema.ts";

/** Schemas without zod for the gateway's own answers, so that an application does not bundle zod only for them. */
export function schemaOf<T extends object>(
  fields: Readonly<Record<keyof T, (value: unknown) => boolean>>,
): Schema<T> {
  const checks = Object.entries<(value: unknown) => boolean>(fields);
  return {
    "~standard": {
      version: 1,
      vendor: "insurance-gateway",
      validate(value) {
        if (!isRecord(value)) return { issues: [{ message: "must be an object" }] };
        const issues = checks
          .filter(([name, holds]) => !holds(Reflect.get(value, name)))
          .map(([name]) => ({ path: [name], message: "must have its declared form" }));
        // Every field that T has was checked.
        return issues.length > 0 ? { issues } : { value: value as T };
      },
    },
  };
}

/** Whether a value is an object, a list included. */
export function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is a text. */
export function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** Whether a value is an instant of RFC 3339 in UTC. */
export function isInstant(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value);
}
