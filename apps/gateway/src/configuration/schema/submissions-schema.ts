import * as z from "zod";
import { secret } from "./secret.ts";
import { whole } from "./whole-number.ts";

/** The settings for the storage of submissions. */
export const submissions = z
  .strictObject({
    keys: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[A-Za-z0-9._-]{1,64}$/, "must be 1 to 64 letters, digits and . _ -")
            .describe("The name of the key in the store"),
          secret: secret.describe("The key: 32 bytes in base64"),
        }),
      )
      .default([])
      .describe(
        "The encryption keys of the store: the first encrypts new data, the others only decrypt older data",
      ),
    answerKeptHours: whole(1, 720, 72).describe(
      "Hours for which the store keeps the answer to a submission, for repeated requests",
    ),
    keyRetentionDays: whole(1, 3_650, 90).describe(
      "Days for which the store keeps an idempotency key after its submission is concluded",
    ),
    sameContentHours: whole(0, 72, 24).describe(
      "Hours after a success in which an equal request without an Idempotency-Key repeats the submission; 0 for never",
    ),
    queriesPerSecond: whole(1, 1_000, 5).describe(
      "Maximum number of reconciliation queries to one insurer in a second",
    ),
  })
  .refine(({ answerKeptHours, sameContentHours }) => answerKeptHours >= sameContentHours, {
    path: ["sameContentHours"],
    error:
      "must not be longer than answerKeptHours, because an equal request gets the stored answer",
  })
  .refine(({ answerKeptHours, keyRetentionDays }) => keyRetentionDays * 24 >= answerKeptHours, {
    path: ["keyRetentionDays"],
    error:
      "must not be shorter than answerKeptHours, because a submission whose key was deleted is sent again",
  })
  .prefault({});
