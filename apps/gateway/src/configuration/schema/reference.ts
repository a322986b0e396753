import * as z from "zod";

/** The pages under /reference. */
export const reference = z
  .strictObject({
    served: z.boolean().default(true).describe("Whether anybody may read them, without a token"),
    address: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .regex(/[^/]$/, "must not end with /")
      .optional()
      .describe(
        "The base address that callers use, a path prefix included; without it the address that is listened on",
      ),
  })
  .prefault({});
