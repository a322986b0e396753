import * as z from "zod";
import type { SubmissionsConfiguration } from "../file.ts";
import { secret } from "./secret.ts";

/** How submissions are kept. */
export const submissions: z.ZodType<SubmissionsConfiguration> = z
  .strictObject({
    keys: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[A-Za-z0-9._-]{1,64}$/, "must be 1 to 64 letters, digits and . _ -")
            .describe("Names the key in the store"),
          secret: secret.describe("32 bytes in base64"),
        }),
      )
      .default([])
      .describe("The first encrypts what is kept, the others still open it"),
    answerKeptHours: z
      .int()
      .min(1)
      .max(720)
      .default(72)
      .describe("How long an answer is kept to be replayed"),
    hashKeptDays: z
      .int()
      .min(1)
      .max(3_650)
      .default(90)
      .describe("How long an idempotency key is known after its submission"),
  })
  .refine(({ answerKeptHours, hashKeptDays }) => hashKeptDays * 24 >= answerKeptHours, {
    path: ["hashKeptDays"],
    error: "must not be shorter than answerKeptHours: a key that is forgotten is sent again",
  })
  .prefault({});
