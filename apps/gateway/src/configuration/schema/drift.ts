import * as z from "zod";

/** How insurers' answers are compared with their declarations. */
export const drift = z
  .strictObject({
    samplePercent: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe(
        "How many of a hundred usable answers of insurers are compared with the declaration",
      ),
  })
  .prefault({});
