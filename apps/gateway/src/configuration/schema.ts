import * as z from "zod";
import { accounts } from "./schema/accounts-schema.ts";
import { authentication, issuer } from "./schema/issuer-schema.ts";
import { limits, listen, operations, overload, shutdown } from "./schema/listen.ts";
import { provider } from "./schema/provider.ts";
import { submissions } from "./schema/submissions-schema.ts";
import { whole } from "./schema/whole-number.ts";

/** The settings for the comparison of insurers' answers with their declarations. */
const drift = z
  .strictObject({
    samplePercent: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe(
        "Percentage of insurers' usable answers that the gateway compares with their declarations",
      ),
  })
  .prefault({});

/** The number of one caller's searches above which the gateway warns the operator. */
const observation = z
  .strictObject({
    searchesPerHour: whole(1, 1_000, 100).describe(
      "Number of one caller's different searches in an hour above which the gateway logs a warning",
    ),
  })
  .prefault({});

/** The settings of the pages under /reference. */
const reference = z
  .strictObject({
    served: z
      .boolean()
      .default(true)
      .describe(
        "True if the gateway serves the reference, which everyone can read without a token",
      ),
    address: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .regex(/[^/]$/, "must not end with /")
      .optional()
      .describe(
        "The public base address with its path prefix (default: the address on which the gateway listens)",
      ),
  })
  .prefault({});

/** The schema of the configuration file. */
export const configurationSchema = z.strictObject({
  $schema: z.string().optional(),
  listen,
  operations,
  limits,
  overload,
  observation,
  drift,
  shutdown,
  data: z.string().min(1).default("./data").describe("The data folder of the gateway"),
  issuers: z
    .array(issuer)
    .default([])
    .describe("The issuers of tokens (default: the development issuer)"),
  authentication,
  accounts,
  providers: z.array(provider).min(1, "must have a provider").describe("The insurers"),
  reference,
  submissions,
});
