import * as z from "zod";
import type { ConfigurationFile } from "./file.ts";

const port = z.int().min(0).max(65_535);
const milliseconds = z.int().min(1).max(600_000);
const segment = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._~-]*$/, "must be one path segment: letters, digits and . _ ~ -");

/** Names that belong to the connection or the message's framing, or that the gateway sets itself. */
const TAKEN_HEADER =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|via|proxy-.*|content-.*|accept|idempotency-key|x-request-id|x-sandbox-scenario)$/i;

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { hash, password, search, username } = new URL(text);
  return `${username}${password}${search}${hash}` === "" && !/[?#]/.test(text);
}

/** A secret is named, never written: the environment variable or the file that holds it. */
const secret = z
  .union(
    [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
    'must be { "env": "NAME" } or { "file": "PATH" }; a secret is never written into the configuration',
  )
  .describe(
    "Where the secret is: an environment variable, or a file relative to the configuration",
  );

const credentials = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("bearer"), token: secret }),
  z.strictObject({ type: z.literal("basic"), username: secret, password: secret }),
  z.strictObject({
    type: z.literal("apiKey"),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, "must be a header name")
      .refine((name) => !TAKEN_HEADER.test(name), "must be a header that is free to set"),
    value: secret,
  }),
]);

const insurer = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine(
      isPlainAddress,
      "must have no user, password, query or fragment; a secret is never written into the configuration",
    )
    .describe("The insurer's base address; paths of the declaration are appended to it"),
  adapter: z
    .literal("declared")
    .describe("declared: the insurer speaks the declared contract itself"),
  credentials: credentials.default({ type: "none" }),
});

const timeouts = z.strictObject({
  connectMs: milliseconds.default(3_000).describe("Making a connection, TLS included"),
  totalMs: milliseconds.default(15_000).describe("Everything, for other kinds than submissions"),
  submissionMs: milliseconds.default(45_000).describe("Everything, for submissions"),
});

const provider = z.strictObject({
  package: z.string().min(1).describe("The provider's package, installed beside the configuration"),
  segment: segment.optional().describe("The path segment; the provider's id when left out"),
  upstream: z
    .union([z.literal("sandbox"), insurer])
    .describe("The insurer, or sandbox for the package's own stand-in"),
  timeouts: timeouts.prefault({}),
});

const issuer = z.strictObject({
  issuer: z.string().min(1).describe("The exact iss of its tokens"),
  audience: z.string().min(1).describe("The exact aud its tokens must have"),
  jwksUri: z.url({ protocol: /^https?$/ }).describe("Where its keys are"),
  algorithms: z
    .array(
      z.enum([
        "RS256",
        "RS384",
        "RS512",
        "PS256",
        "PS384",
        "PS512",
        "ES256",
        "ES384",
        "ES512",
        "EdDSA",
      ]),
    )
    .min(1)
    .describe("The signature algorithms its tokens may have"),
});

const submissions = z
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
      .describe("The first seals what is kept, the others still open it"),
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
  });

/** The configuration file. */
export const configurationSchema: z.ZodType<ConfigurationFile> = z.strictObject({
  $schema: z.string().optional(),
  listen: z
    .strictObject({
      host: z.string().min(1).default("127.0.0.1"),
      port: port.default(8080),
      basePath: z
        .string()
        .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "must be empty or begin with / and not end with it")
        .default("")
        .describe("A prefix of every path, such as /insurance"),
    })
    .prefault({}),
  operations: z
    .strictObject({ host: z.string().min(1).default("127.0.0.1"), port: port.default(9090) })
    .prefault({}),
  data: z.string().min(1).default("./data").describe("The folder for what the gateway keeps"),
  issuers: z
    .array(issuer)
    .default([])
    .describe("Who issues tokens; without any, the development issuer"),
  providers: z.array(provider).min(1),
  submissions: submissions.prefault({}),
});
