import * as z from "zod/mini";

/**
 * Schema of an instant that the gateway writes: RFC 3339 in UTC. Every client bundles this schema, so it is smaller
 * than the schema for the instants of insurers.
 */
export const utcInstant: z.ZodMiniType<string, string> = z.string().check(
  z.meta({ format: "date-time" }),
  z.refine((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text), {
    error: "must be an instant in UTC",
  }),
);
