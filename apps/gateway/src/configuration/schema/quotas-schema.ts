import * as z from "zod";

/** The time zone whose calendar days usage and quotas are counted by. */
export const timeZone = z
  .string()
  .refine(isTimeZone, "must be a time zone of the IANA database, such as Europe/Athens")
  .describe("The time zone whose calendar days usage and quotas are counted by");

/** How much an account may do on one day. */
export const quotas = z.strictObject({
  requestsPerDay: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe("Calls of one account on a day; any number when left out"),
  submissionsPerDay: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("Submissions of one account on a day; any number when left out"),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
