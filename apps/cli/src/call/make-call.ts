import { type Gateway, GatewayError, type SubmissionOptions } from "@insurance-gateway/core";
import { type Endpoint, valueAt } from "@insurance-gateway/core/contract";
import { identifierOf, kindPolicies, pagingOf, parsePage } from "@insurance-gateway/core/runtime";
import type { Command } from "commander";
import { printAnswer } from "../output/print.ts";
import { safeText, shellWord } from "../output/safe-text.ts";
import {
  type Answered,
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

/** The arguments of a call on the command line. */
interface CallArguments {
  readonly flags: readonly CallFlag[];
  readonly input: CallInput;
  readonly options: CommonOptions;
}

/** Sends a call to the gateway, and prints its answer or its failure. */
export async function sendCall(
  command: Command,
  { declared: { configuration }, endpoint, parameters, provider }: CalledEndpoint,
  { flags, input, options }: CallArguments,
): Promise<void> {
  const { idempotencyKey, scenario, verbose } = options;
  const again = (key: string): string =>
    commandAgain(parameters, flags, { idempotencyKey: key, shown: process.stderr.isTTY });
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
        // A key that was given is known.
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

/** The parts of a call that is ready to be made. */
interface ReadyCall {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly input: Omit<CallInput, "headers"> &
    Omit<SubmissionOptions, "headers"> & { readonly headers: object };
  readonly options: CommonOptions;
  /** Ends the call, and the wait for a reader of its answer. */
  readonly signal: AbortSignal;
}

/**
 * Makes a call and prints its answer, by the endpoint's kind.
 * @throws GatewayError when it fails; AnswerNotWrittenError when it was answered and the answer cannot be written
 */
async function makeCall(call: ReadyCall): Promise<void> {
  const { endpoint, gateway, options, signal } = call;
  const input = { ...call.input, signal };
  if (isDocument(endpoint)) return fetchDocument(call, endpoint);
  if (isSearch(endpoint) && options.all === true) {
    const pages = await everyPage(gateway, endpoint, input);
    return writingAnswer(unnamed, () => printAnswer(pages, options.output, signal));
  }
  const { data, response } = await gateway.call(endpoint, input).withResponse();
  const answered: Answered = {
    acted: kindPolicies[endpoint.kind].actsAtInsurer,
    idempotencyKey: response.idempotencyKey,
    submissionId: response.headers.location?.split("/").at(-1) ?? null,
    insurerId: insurerIdIn(endpoint, data),
    requestId: response.requestId,
  };
  await writingAnswer(answered, () => printAnswer(data, options.output, signal));
  if (answered.acted && response.replayed && options.output !== "json")
    process.stderr.write(
      "replayed: this is the stored answer to an earlier request with the same key or content, or to a lost attempt of this call\n",
    );
  if (isSearch(endpoint)) noteNextPage(endpoint, data, response.headers);
}

/** The cursor of the next page may be in a header, which is not printed. */
function noteNextPage(
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

/** An answer that is not a submission's has no names to report. */
const unnamed: Answered = {
  acted: false,
  idempotencyKey: null,
  submissionId: null,
  insurerId: null,
  requestId: null,
};

/** Runs work that writes the answer of a call: its errors do not mean that the call failed. */
async function writingAnswer(answered: Answered, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // An answer that arrived only in part is a failure of the call.
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
  await writingAnswer(unnamed, async () => {
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

async function everyPage(
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
 * The command line that sends a submission again with its key, as a shell reads it.
 * @param parameters - what followed `insurance-gateway call`
 * @param flags - the flags with personal values
 * @param options.shown - whether the output goes to the person who wrote the values; otherwise `…` replaces each
 */
export function commandAgain(
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
      // Otherwise its value is the next word.
      if (!hasValue) index++;
    }
  }
  return ["insurance-gateway call", ...words, KEY_FLAG, shellWord(idempotencyKey)].join(" ");
}

/** The command line that asks the same gateway for the state of a submission. */
function askCommand(
  command: Command,
  { gateway, insecureHttp }: Pick<AccessOptions, "gateway" | "insecureHttp">,
  submissionId: string,
): string {
  // A gateway that the environment names is the default of the next command, too.
  const named = command.getOptionValueSource("gateway") === "cli";
  const words = [
    "insurance-gateway submissions ask",
    submissionId,
    ...(named ? ["--gateway", shellWord(gateway)] : []),
    ...(insecureHttp === true ? ["--insecure-http"] : []),
  ];
  return words.join(" ");
}
