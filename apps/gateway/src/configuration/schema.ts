import * as z from "zod";
import { accounts } from "./schema/accounts-schema.ts";
import { authentication, issuer } from "./schema/issuer-schema.ts";
import { limits, listen, operations, overload, shutdown } from "./schema/listen.ts";
import { provider } from "./schema/provider.ts";
import { submissions } from "./schema/submissions-schema.ts";
import { whole } from "./schema/whole-number.ts";

/** How insurers' answers are compared with their declarations. */
const drift = z
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

/** The limit above which the operator is warned. */
const observation = z
  .strictObject({
    searchesPerHour: whole(1, 1_000, 100).describe(
      "How many different searches of one caller in an hour are usual",
    ),
  })
  .prefault({});

/** The pages under /reference. */
const reference = z
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

/** The configuration file. */
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
    .describe("Who issues tokens; without any, the development issuer"),
  authentication,
  accounts,
  providers: z.array(provider).min(1, "must have a provider").describe("The insurers"),
  reference,
  submissions,
});
