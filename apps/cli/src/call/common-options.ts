import type { Endpoint } from "@insurance-gateway/core/contract";
import { bodyFormatOf, bodyOf, kindPolicies } from "@insurance-gateway/core/runtime";
import { InvalidArgumentError, Option } from "commander";
import { type OutputForm, outputOption } from "../output/print.ts";

/** The options for reaching a gateway and printing the result. */
export interface AccessOptions {
  readonly gateway: string;
  readonly insecureHttp?: boolean;
  /** Maximum time of the call, in seconds. */
  readonly timeout: number;
  readonly output?: OutputForm;
}

/** The options of a call, without the flags of the call's input. */
export interface CommonOptions extends AccessOptions {
  readonly scenario?: string;
  readonly verbose?: boolean;
  readonly body?: string;
  readonly mediaType?: string;
  readonly query?: string;
  readonly all?: boolean;
  readonly out?: string;
  readonly force?: boolean;
  readonly idempotencyKey?: string;
}

/** Creates the flags of every command that calls a gateway: how to reach the gateway and print the result. */
export function accessOptions(): readonly Option[] {
  return [
    new Option("--gateway <url>", "the base address of the gateway")
      .env("GATEWAY_URL")
      .default("http://127.0.0.1:8080"),
    new Option(
      "--insecure-http",
      "allow unencrypted tokens and data to a gateway on another machine",
    ),
    new Option("--timeout <seconds>", "longest time of a call with its retries, in seconds")
      .argParser(parseSeconds)
      .default(60),
    outputOption(),
  ].map((option) => option.helpGroup(COMMON_FLAGS_HEADING));
}

const COMMON_FLAGS_HEADING = "Common flags:";

/** Creates the flags that an endpoint of the given kind has in addition to the flags of its values. */
export function commonOptions({ body, kind }: Pick<Endpoint, "body" | "kind">): readonly Option[] {
  return [
    ...(body === undefined ? [] : bodyOptions(Object.keys(bodyOf({ body })?.media ?? {}))),
    ...(kind === "search" ? searchOptions() : []),
    ...(kind === "document" ? documentOptions() : []),
    ...(kindPolicies[kind].actsAtInsurer ? submissionOptions() : []),
    ...generalOptions(),
  ];
}

/** Creates all flags that an endpoint can have in addition to the flags of its values. */
export function allCommonOptions(): readonly Option[] {
  return [
    ...bodyOptions(["", ""]),
    ...searchOptions(),
    ...documentOptions(),
    ...submissionOptions(),
    ...generalOptions(),
  ];
}

function bodyOptions(mediaTypes: readonly string[]): readonly Option[] {
  const formats = mediaTypes.map(bodyFormatOf);
  const isObject = !formats.every((format) => format === "text" || format === "bytes");
  const words = isObject
    ? "file with the body as JSON, or - for standard input; flags replace its values"
    : "file with the body, sent unchanged, or - for standard input";
  const type = "media type of the body (default: the first declared type)";
  return [
    new Option("--body <file>", words),
    ...(mediaTypes.length > 1 ? [new Option("--media-type <type>", type)] : []),
  ].map((option) => option.helpGroup("Body:"));
}

function searchOptions(): readonly Option[] {
  return [
    new Option(
      "--query <file>",
      "file with the parameters as JSON, or - for standard input; flags replace its values",
    ),
    new Option("--all", "print every page, not only the first"),
  ].map((option) => option.helpGroup("Search:"));
}

function documentOptions(): readonly Option[] {
  return [
    new Option(
      "--out <file>",
      "file of the document, or - for standard output (default: the document's name)",
    ),
    new Option("--force", "replace an existing file"),
  ].map((option) => option.helpGroup("Document:"));
}

function submissionOptions(): readonly Option[] {
  const words = "key that identifies the submission if it is sent again (default: generated)";
  return [new Option("--idempotency-key <key>", words).helpGroup("Submission:")];
}

function generalOptions(): readonly Option[] {
  return [
    ...accessOptions(),
    new Option("--scenario <name>", "scenario of a simulated insurer (X-Sandbox-Scenario)"),
    new Option("--verbose", "print status, request ID, times and limits to standard error"),
  ].map((option) => option.helpGroup(COMMON_FLAGS_HEADING));
}

function parseSeconds(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a positive number of seconds.");
}
