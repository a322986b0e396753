import { type Gateway, GatewayError, type SubmissionOptions } from "@insurance-gateway/core";
import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { identifierOf, kindPolicies, pagingOf, parsePage } from "@insurance-gateway/core/runtime";
import type { Command } from "commander";
import { printAnswer } from "../output/print.ts";
import { safeText, shellWord } from "../output/safe-text.ts";
import {
  type AnsweredCall,
  AnswerNotWrittenError,
  type FailedCall,
  reportFailure,
} from "./call-failure.ts";
import type { AccessOptions, CommonOptions } from "./common-options.ts";
import type { CalledEndpoint } from "./endpoint-command.ts";
import type { CallFlag } from "./flags.ts";
import type { CallInput } from "./input.ts";
import { saveDocument, showProgress, writeDocument } from "./save-document.ts";
import { withGateway } from "./with-gateway.ts";

/** The command-line arguments of a call, parsed. */
interface CallArguments {
  readonly flags: readonly CallFlag[];
  readonly input: CallInput;
  readonly options: CommonOptions;
}

/** Sends a call to the gateway, and prints the answer or the failure. */
export async function sendCall(
  command: Command,
  { declared: { configuration }, endpoint, parameters, provider }: CalledEndpoint,
  { flags, input, options }: CallArguments,
): Promise<void> {
  const { idempotencyKey, scenario, verbose } = options;
  const again = (key: string): string =>
    repeatCommandOf(parameters, flags, { idempotencyKey: key, shown: process.stderr.isTTY });
  const failed: FailedCall = {
    flags,
    again: kindPolicies[endpoint.kind].actsAtInsurer ? again : null,
    ask: (submissionId) => askCommand(command, options, submissionId),
  };
  await withGateway(
    {
      command,
      configuration,
      options,
      segments: { [provider.provider.id]: provider.segment },
      report: {
        // Do not print an idempotency key that the user gave on the command line.
        key: idempotencyKey === undefined,
        verbose:
          verbose === true ? `${endpoint.method} /${provider.segment}${endpoint.path}` : null,
      },
      describeFailure: (error, hints) => reportFailure(error, failed, hints),
    },
    (gateway, signal) =>
      makeCall({
        gateway,
        endpoint,
        options,
        signal,
        input: {
          ...input,
          idempotencyKey,
          mediaType: options.mediaType,
          headers: {
            ...Object(input.headers),
            ...(scenario === undefined ? {} : { "x-sandbox-scenario": scenario }),
          },
        },
      }),
  );
}

/** A call that is ready to be sent. */
interface ReadyCall {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly input: Omit<CallInput, "headers"> &
    Omit<SubmissionOptions, "headers"> & { readonly headers: object };
  readonly options: CommonOptions;
  /** Cancels the call, and the wait for a slow reader of the answer. */
  readonly signal: AbortSignal;
}

/**
 * Makes a call and prints the answer as the endpoint's kind requires.
 * @throws GatewayError if the call fails; AnswerNotWrittenError if the answer cannot be written
 */
async function makeCall(call: ReadyCall): Promise<void> {
  const { endpoint, gateway, options, signal } = call;
  const input = { ...call.input, signal };
  if (isDocument(endpoint)) return fetchDocument(call, endpoint);
  if (isSearch(endpoint) && options.all === true) {
    const pages = await fetchEveryPage(gateway, endpoint, input);
    return reportWriteErrors(answerWithoutIds, () => printAnswer(pages, options.output, signal));
  }
  const { data, response } = await gateway.call(endpoint, input).withResponse();
  const answered: AnsweredCall = {
    acted: kindPolicies[endpoint.kind].actsAtInsurer,
    idempotencyKey: response.idempotencyKey,
    submissionId: response.headers.location?.split("/").at(-1) ?? null,
    insurerId: insurerIdIn(endpoint, data),
    requestId: response.requestId,
  };
  await reportWriteErrors(answered, () => printAnswer(data, options.output, signal));
  if (answered.acted && response.replayed && options.output !== "json")
    process.stderr.write(
      "replayed: this is the stored answer to an earlier request with the same key or content, or to a lost attempt of this call\n",
    );
  if (isSearch(endpoint)) printNextPage(endpoint, data, response.headers);
}

/** Prints the cursor of the next page if the cursor is in a header, because the command prints no headers. */
function printNextPage(
  endpoint: Endpoint<"search">,
  data: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const paging = pagingOf(endpoint);
  const next = parsePage(paging, data, headers)?.next ?? null;
  if (next !== null)
    process.stderr.write(
      `next page: ${paging.position} ${safeText(String(next))}; every page: --all\n`,
    );
}

/** The facts about the answer to a call that changes nothing at the insurer. */
const answerWithoutIds: AnsweredCall = {
  acted: false,
  idempotencyKey: null,
  submissionId: null,
  insurerId: null,
  requestId: null,
};

/**
 * Runs work that writes an answer. If the work fails, the thrown error reports that the gateway did answer the call.
 */
async function reportWriteErrors(answered: AnsweredCall, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // The gateway's answer was incomplete, so the call failed.
    if (GatewayError.isInstance(error)) throw error;
    throw new AnswerNotWrittenError(answered, error);
  }
}

function insurerIdIn(endpoint: Endpoint, data: unknown): string | null {
  const declared = identifierOf(endpoint);
  const found = declared && valueAt(data, declared.at);
  return typeof found === "string" || Number.isSafeInteger(found) ? String(found) : null;
}

async function fetchDocument(
  { gateway, input, options, signal }: ReadyCall,
  endpoint: Endpoint<"document">,
): Promise<void> {
  const download = await gateway.call(endpoint, { ...input, signal });
  const file = options.out ?? download.fileName;
  await reportWriteErrors(answerWithoutIds, async () => {
    if (file === "-") return writeDocument(download, signal);
    const progress = showProgress(process.stderr, download);
    const saved = await saveDocument(
      download,
      file,
      options.force === true,
      progress.moved,
    ).finally(progress.end);
    await printAnswer(saved, options.output, signal);
  });
}

async function fetchEveryPage(
  gateway: Gateway,
  endpoint: Endpoint<"search">,
  input: ReadyCall["input"],
): Promise<object> {
  const search = gateway.call(endpoint, input);
  const { data, response } = await search.withResponse();
  const paging = pagingOf(endpoint);
  const { position, total = null } = parsePage(paging, data, response.headers) ?? {};
  const items: unknown[] = [];
  for await (const item of search) items.push(item);
  return { items, ...(position === undefined ? {} : { [paging.position]: position }), total };
}

function isDocument(endpoint: Endpoint): endpoint is Endpoint<"document"> {
  return endpoint.kind === "document";
}

function isSearch(endpoint: Endpoint): endpoint is Endpoint<"search"> {
  return endpoint.kind === "search";
}

const KEY_FLAG = "--idempotency-key";

/**
 * Returns the command line, quoted for a shell, that sends a submission again with the same idempotency key.
 * @param parameters - the arguments after `insurance-gateway call`
 * @param flags - the flags whose values may be personal data
 * @param options.shown - false if other people may read the output; `…` then replaces each value
 */
export function repeatCommandOf(
  parameters: readonly string[],
  flags: readonly CallFlag[],
  { idempotencyKey, shown }: { readonly idempotencyKey: string; readonly shown: boolean },
): string {
  const personal = new Set(shown ? [] : flags.map(({ name }) => name));
  const words: string[] = [];
  for (let index = 0; index < parameters.length; index++) {
    const word = parameters[index] ?? "";
    const [name = ""] = word.split("=", 1);
    const hasValue = word !== name;
    if (name !== KEY_FLAG && !personal.has(name)) words.push(shellWord(word));
    else {
      if (name !== KEY_FLAG) words.push(hasValue ? `${name}=…` : `${name} …`);
      // The flag's value is the next word, except in the form `--name=value`.
      if (!hasValue) index++;
    }
  }
  return ["insurance-gateway call", ...words, KEY_FLAG, shellWord(idempotencyKey)].join(" ");
}

/** Returns the command line that queries the same gateway for the state of a submission. */
function askCommand(
  command: Command,
  { gateway, insecureHttp }: Pick<AccessOptions, "gateway" | "insecureHttp">,
  submissionId: string,
): string {
  // The environment variable for the gateway's address stays set, so the command repeats only an address from a flag.
  const named = command.getOptionValueSource("gateway") === "cli";
  const words = [
    "insurance-gateway submissions ask",
    submissionId,
    ...(named ? ["--gateway", shellWord(gateway)] : []),
    ...(insecureHttp === true ? ["--insecure-http"] : []),
  ];
  return words.join(" ");
}
