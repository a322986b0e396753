import type { Endpoint } from "@insurance-gateway/core/contract";
import { bodyFormatOf, bodyOf, kindPolicies } from "@insurance-gateway/core/runtime";
import { InvalidArgumentError, Option } from "commander";
import { type OutputForm, outputOption } from "../output/print.ts";

/** How a gateway is reached, and how the result is printed. */
export interface AccessOptions {
  readonly gateway: string;
  readonly insecureHttp?: boolean;
  /** In seconds. */
  readonly timeout: number;
  readonly output?: OutputForm;
}

/** The options of a call, without its input. */
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

/** How a gateway is reached, for every command that calls one. */
export function accessOptions(): readonly Option[] {
  return [
    new Option("--gateway <url>", "the base address of the gateway")
      .env("GATEWAY_URL")
      .default("http://127.0.0.1:8080"),
    new Option(
      "--insecure-http",
      "let tokens and data cross in clear to a gateway of another machine",
    ),
    new Option("--timeout <seconds>", "how long it may take, further tries included")
      .argParser(seconds)
      .default(60),
    outputOption(),
  ].map((option) => option.helpGroup(GROUP));
}

const GROUP = "Common flags:";

/** The flags that an endpoint has beside those of its values, by its kind. */
export function commonOptions({ body, kind }: Pick<Endpoint, "body" | "kind">): readonly Option[] {
  return [
    ...(body === undefined ? [] : bodyOptions(Object.keys(bodyOf({ body })?.media ?? {}))),
    ...(kind === "search" ? searchOptions() : []),
    ...(kind === "document" ? documentOptions() : []),
    ...(kindPolicies[kind].actsAtInsurer ? submissionOptions() : []),
    ...generalOptions(),
  ];
}

/** Every flag that some endpoint has beside those of its values. */
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
    ? "the whole body as JSON, - for standard input; flags replace its values"
    : "the whole body as it is sent, - for standard input";
  const type = "the media type of the body (default: the first that it takes)";
  return [
    new Option("--body <file>", words),
    ...(mediaTypes.length > 1 ? [new Option("--media-type <type>", type)] : []),
  ].map((option) => option.helpGroup("Body:"));
}

function searchOptions(): readonly Option[] {
  return [
    new Option(
      "--query <file>",
      "the parameters as JSON, - for standard input; flags replace them",
    ),
    new Option("--all", "every page, not only the first"),
  ].map((option) => option.helpGroup("Search:"));
}

function documentOptions(): readonly Option[] {
  return [
    new Option("--out <file>", "where to save it, - for standard output (default: its own name)"),
    new Option("--force", "replace a file that is there"),
  ].map((option) => option.helpGroup("Document:"));
}

function submissionOptions(): readonly Option[] {
  const words = "names the submission, so that it can be sent again (default: a generated one)";
  return [new Option("--idempotency-key <key>", words).helpGroup("Submission:")];
}

function generalOptions(): readonly Option[] {
  return [
    ...accessOptions(),
    new Option("--scenario <name>", "what a sandbox insurer is to do (X-Sandbox-Scenario)"),
    new Option("--verbose", "status, request id, times and limits on standard error"),
  ].map((option) => option.helpGroup(GROUP));
}

function seconds(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a positive number of seconds.");
}
