import * as z from "zod";

/** What the operator is warned of. */
export const observation = z
  .strictObject({
    searchesPerHour: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe("How many different searches of one caller in an hour are usual"),
  })
  .prefault({});
