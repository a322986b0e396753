import * as z from "zod";
import { secret } from "./secret.ts";
import { whole } from "./whole-number.ts";

/** How submissions are kept. */
export const submissions = z
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
      .describe(
        "The first encrypts stored data; the others only decrypt what they encrypted before",
      ),
    answerKeptHours: whole(1, 720, 72).describe("How long an answer is kept to be replayed"),
    hashKeptDays: whole(1, 3_650, 90).describe(
      "How long an idempotency key is known after its submission",
    ),
    sameContentHours: whole(0, 72, 24).describe(
      "How long an equal request without an Idempotency-Key is a submission that succeeded; 0 for never",
    ),
    queriesPerSecond: whole(1, 1_000, 5).describe(
      "How many reconciliation queries are sent to one insurer in a second at most",
    ),
  })
  .refine(({ answerKeptHours, sameContentHours }) => answerKeptHours >= sameContentHours, {
    path: ["sameContentHours"],
    error: "must not be longer than answerKeptHours: the answer is what an equal request gets",
  })
  .refine(({ answerKeptHours, hashKeptDays }) => hashKeptDays * 24 >= answerKeptHours, {
    path: ["hashKeptDays"],
    error: "must not be shorter than answerKeptHours: a key that is forgotten is sent again",
  })
  .prefault({});
