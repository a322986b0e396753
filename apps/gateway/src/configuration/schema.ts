import * as z from "zod";
import { accounts } from "./schema/accounts-schema.ts";
import { drift } from "./schema/drift.ts";
import { authentication, issuer } from "./schema/issuer-schema.ts";
import { limits, listen, operations, overload, shutdown } from "./schema/listen.ts";
import { observation } from "./schema/observation.ts";
import { provider } from "./schema/provider.ts";
import { reference } from "./schema/reference.ts";
import { submissions } from "./schema/submissions-schema.ts";

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
  providers: z.array(provider).min(1, "must have a provider"),
  reference,
  submissions,
});
