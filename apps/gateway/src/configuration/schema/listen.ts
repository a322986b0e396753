import * as z from "zod";
import { certificate, secret } from "./secret.ts";
import { whole } from "./whole-number.ts";

const port = z.int().min(0).max(65_535).describe("The port; 0 for any that is free");
const host = z.string().min(1).default("127.0.0.1").describe("The address or the host name");
const milliseconds = z.int().min(100).max(600_000);

/** Where callers reach the gateway. */
export const listen = z
  .strictObject({
    host,
    port: port.default(8080),
    basePath: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "must be empty or begin with / and not end with it")
      .default("")
      .describe("A prefix of every path, such as /insurance"),
    tls: certificate
      .optional()
      .describe("The certificate for callers; without it the address is plain HTTP"),
    tlsEndsBefore: z
      .boolean()
      .default(false)
      .describe(
        "Says that a load balancer before the gateway ends TLS, so that plain HTTP is meant",
      ),
    trustedProxies: z
      .array(
        z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], "must be an address or a CIDR range"),
      )
      .default([])
      .describe("The load balancers whose X-Forwarded-For is believed"),
    sharedPort: z
      .boolean()
      .default(false)
      .describe("Shares the port with other gateway processes of this machine (SO_REUSEPORT)"),
  })
  .prefault({});

/** Where the operator's tools reach it. */
export const operations = z
  .strictObject({
    host,
    port: port.default(9090),
    names: z
      .array(z.string().min(1))
      .default([])
      .describe("The names it is reached by, beside addresses and localhost"),
    tls: certificate
      .optional()
      .describe("The certificate for the operator's tools; without it the address is plain HTTP"),
    accountsToken: secret
      .optional()
      .describe(
        "What requests show that administer the accounts in the store; without it none are served",
      ),
  })
  .prefault({});

/** The limits of one request, of one connection and of all of them together. */
export const limits = z
  .strictObject({
    bodyBytes: whole(1_024, 1_048_576, 65_536).describe(
      "A body without files, unless its endpoint declares maxBytes",
    ),
    headerBytes: whole(4_096, 65_536, 16_384).describe("All headers of a request together"),
    headers: whole(10, 1_000, 100).describe("How many headers a request has"),
    jsonDepth: whole(4, 256, 32).describe("How deep a JSON body is nested"),
    tokenBytes: whole(512, 16_384, 8_192).describe("A bearer token"),
    uploadBytes: whole(1_048_576, 1_099_511_627_776, 1_073_741_824).describe(
      "The files of all requests together, on the disk of one process",
    ),
    uploadsPerCaller: whole(1, 10_000, 16).describe(
      "Requests with files that one caller may have in progress",
    ),
    answerBytes: whole(1_048_576, 1_099_511_627_776, 268_435_456).describe(
      "Large answers of insurers that one process has in memory, together; those of one insurer half of it",
    ),
    connections: whole(1, 100_000, 10_000).describe(
      "Open connections of callers; further ones are closed immediately",
    ),
    headersMs: milliseconds.default(10_000).describe("How long all headers may take to arrive"),
    requestMs: milliseconds.default(30_000).describe("How long a whole request may take to arrive"),
    keepAliveMs: milliseconds
      .default(65_000)
      .describe("How long a connection may be idle; longer than the load balancer's own limit"),
  })
  .refine(({ headersMs, requestMs }) => headersMs <= requestMs, {
    path: ["headersMs"],
    error: "must not be longer than requestMs",
  })
  .prefault({});

/** When the gateway refuses work because it has too much. */
export const overload = z
  .strictObject({
    eventLoopDelayMs: whole(20, 3_600_000, 250).describe(
      "From this delay of the event loop on, requests are refused with OVERLOADED",
    ),
    longestWaitMs: whole(100, 3_600_000, 2_000).describe(
      "A request that has been read and has waited longer than this to be begun is refused with OVERLOADED",
    ),
  })
  .prefault({});

/** How the gateway ends. */
export const shutdown = z
  .strictObject({
    noticeMs: whole(0, 120_000, 0).describe(
      "How long it goes on taking requests after readiness has turned off",
    ),
  })
  .prefault({});
