import * as z from "zod";
import { certificate, secret } from "./secret.ts";
import { whole } from "./whole-number.ts";

const port = z.int().min(0).max(65_535).describe("The port; 0 selects any free port");
const host = z.string().min(1).default("127.0.0.1").describe("The address or the host name");
const milliseconds = z.int().min(100).max(600_000);

/** The settings of the address for callers. */
export const listen = z
  .strictObject({
    host,
    port: port.default(8080),
    basePath: z
      .string()
      .regex(
        /^(\/[A-Za-z0-9._~-]+)*$/,
        "must be empty or like /insurance, without a slash at the end",
      )
      .default("")
      .describe("The prefix of every path, such as /insurance (default: none)"),
    tls: certificate
      .optional()
      .describe("The certificate of the callers' address (default: plain HTTP)"),
    tlsEndsBefore: z
      .boolean()
      .default(false)
      .describe(
        "True if a load balancer in front of the gateway terminates TLS, so that plain HTTP is intended",
      ),
    trustedProxies: z
      .array(
        z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], "must be an address or a CIDR range"),
      )
      .default([])
      .describe("The load balancers whose header X-Forwarded-For the gateway trusts"),
    sharedPort: z
      .boolean()
      .default(false)
      .describe("True if other gateway processes on this machine share the port (SO_REUSEPORT)"),
  })
  .prefault({});

/** The settings of the operations address, for the operator's tools. */
export const operations = z
  .strictObject({
    host,
    port: port.default(9090),
    names: z
      .array(z.string().min(1))
      .default([])
      .describe("The host names of the operations address, besides IP addresses and localhost"),
    tls: certificate
      .optional()
      .describe("The certificate of the operations address (default: plain HTTP)"),
    accountsToken: secret
      .optional()
      .describe(
        "The token for requests that change the accounts in the store (default: the gateway refuses these requests)",
      ),
  })
  .prefault({});

/** The limits of one request, of one connection, and of all requests and connections together. */
export const limits = z
  .strictObject({
    bodyBytes: whole(1_024, 1_048_576, 65_536).describe(
      "Maximum size of a body without files, in bytes; an endpoint may declare another maxBytes",
    ),
    headerBytes: whole(4_096, 65_536, 16_384).describe(
      "Maximum size of all headers of a request together, in bytes",
    ),
    headers: whole(10, 1_000, 100).describe("Maximum number of headers in a request"),
    jsonDepth: whole(4, 256, 32).describe("Maximum depth of a JSON body"),
    tokenBytes: whole(512, 16_384, 8_192).describe("Maximum size of a bearer token, in bytes"),
    uploadBytes: whole(1_048_576, 1_099_511_627_776, 1_073_741_824).describe(
      "Maximum size of the files of all current requests on the disk of one process, in bytes",
    ),
    uploadsPerCaller: whole(1, 10_000, 16).describe(
      "Maximum number of simultaneous uploads per caller",
    ),
    answerBytes: whole(1_048_576, 1_099_511_627_776, 268_435_456).describe(
      "Maximum size of all insurers' large answers in the memory of one process, in bytes; the answers of one insurer may use half of the memory",
    ),
    connections: whole(1, 100_000, 10_000).describe(
      "Maximum number of callers' open connections; the gateway closes further connections at once",
    ),
    headersMs: milliseconds
      .default(10_000)
      .describe("Timeout for the arrival of all headers, in milliseconds"),
    requestMs: milliseconds
      .default(30_000)
      .describe("Timeout for the arrival of a whole request, in milliseconds"),
    keepAliveMs: milliseconds
      .default(65_000)
      .describe(
        "Maximum idle time of a caller's connection, in milliseconds, which must be longer than the load balancer's maximum",
      ),
  })
  .refine(({ headersMs, requestMs }) => headersMs <= requestMs, {
    path: ["headersMs"],
    error: "must not be longer than requestMs",
  })
  .prefault({});

/** The limits above which an overloaded gateway refuses requests. */
export const overload = z
  .strictObject({
    eventLoopDelayMs: whole(20, 3_600_000, 250).describe(
      "Delay of the event loop in milliseconds above which the gateway refuses requests with OVERLOADED",
    ),
    longestWaitMs: whole(100, 3_600_000, 2_000).describe(
      "Maximum wait of a received request before its processing starts, in milliseconds; longer waits end with OVERLOADED",
    ),
  })
  .prefault({});

/** The settings for the stop of the gateway. */
export const shutdown = z
  .strictObject({
    noticeMs: whole(0, 120_000, 0).describe(
      "Time in milliseconds for which a stopping gateway still accepts requests after it reports not ready",
    ),
  })
  .prefault({});
