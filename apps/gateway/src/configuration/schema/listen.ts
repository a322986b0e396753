import * as z from "zod";
import { certificate, secret } from "./secret.ts";

const port = z.int().min(0).max(65_535);
const host = z.string().min(1).default("127.0.0.1");
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

/** What one request, one connection and all of them together may be. */
export const limits = z
  .strictObject({
    bodyBytes: z
      .int()
      .min(1_024)
      .max(1_048_576)
      .default(65_536)
      .describe("A body without files, unless its endpoint declares maxBytes"),
    headerBytes: z
      .int()
      .min(4_096)
      .max(65_536)
      .default(16_384)
      .describe("All headers of a request together"),
    headers: z.int().min(10).max(1_000).default(100).describe("How many headers a request has"),
    jsonDepth: z.int().min(4).max(256).default(32).describe("How deep a JSON body is nested"),
    tokenBytes: z.int().min(512).max(16_384).default(8_192).describe("A bearer token"),
    uploadBytes: z
      .int()
      .min(1_048_576)
      .max(1_099_511_627_776)
      .default(1_073_741_824)
      .describe("The files of all requests together, on the disk of one process"),
    uploadsPerCaller: z
      .int()
      .min(1)
      .max(10_000)
      .default(16)
      .describe("Requests with files that one caller may have in progress"),
    answerBytes: z
      .int()
      .min(1_048_576)
      .max(1_099_511_627_776)
      .default(268_435_456)
      .describe(
        "Large answers of insurers that one process has in memory, together; those of one insurer half of it",
      ),
    connections: z
      .int()
      .min(1)
      .max(100_000)
      .default(10_000)
      .describe("Open connections of callers; further ones are closed immediately"),
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
    eventLoopDelayMs: z
      .int()
      .min(20)
      .max(3_600_000)
      .default(250)
      .describe("From this delay of the event loop on, requests are refused with OVERLOADED"),
    longestWaitMs: z
      .int()
      .min(100)
      .max(3_600_000)
      .default(2_000)
      .describe(
        "A request that has been read and has waited longer than this to be begun is refused with OVERLOADED",
      ),
  })
  .prefault({});

/** How the gateway ends. */
export const shutdown = z
  .strictObject({
    noticeMs: z
      .int()
      .min(0)
      .max(120_000)
      .default(0)
      .describe("How long it goes on taking requests after readiness has turned off"),
  })
  .prefault({});
