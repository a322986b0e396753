import { type Gateway, GatewayError, type SubmissionOptions } from "@insurance-gateway/core";
import {
  type Endpoint,
  kindPolicies,
  pageIn,
  pagingOf,
  valueAt,
} from "@insurance-gateway/core/contract";
import { printAnswer } from "../output/print.ts";
import { safeText } from "../output/safe-text.ts";
import type { CommonOptions } from "./common-options.ts";
import type { CallInput } from "./input.ts";
import { saveDocument, showProgress, writeDocument } from "./save-document.ts";
import { type Answered, UnshownAnswerError } from "./unshown-answer.ts";

/** A call that is ready to be made. */
export interface ReadyCall {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly input: Omit<CallInput, "headers"> &
    Omit<SubmissionOptions, "headers"> & { readonly headers: object };
  readonly options: CommonOptions;
  /** Ends the call, and the wait for whoever reads its answer. */
  readonly signal: AbortSignal;
}

/**
 * Makes a call and shows its answer, by the endpoint's kind.
 * @throws GatewayError when it fails; UnshownAnswerError when it was answered, and the answer cannot be written
 */
export async function makeCall(call: ReadyCall): Promise<void> {
  const { endpoint, gateway, options, signal } = call;
  const input = { ...call.input, signal };
  if (isDocument(endpoint)) return fetchDocument(call, endpoint);
  if (isSearch(endpoint) && options.all === true) {
    const pages = await everyPage(gateway, endpoint, input);
    return showing(unnamed, () => printAnswer(pages, options.output, signal));
  }
  const { data, response } = await gateway.call(endpoint, input).withResponse();
  const answered: Answered = {
    acted: kindPolicies[endpoint.kind].actsAtInsurer,
    idempotencyKey: response.idempotencyKey,
    submissionId: response.headers.location?.split("/").at(-1) ?? null,
    insurerId: insurerIdIn(endpoint, data),
    requestId: response.requestId,
  };
  await showing(answered, () => printAnswer(data, options.output, signal));
  if (isSearch(endpoint)) noteNextPage(endpoint, data, response.headers);
}

/** The cursor of the next page may be in a header, which is not printed. */
function noteNextPage(
  endpoint: Endpoint<"search">,
  data: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  const paging = pagingOf(endpoint);
  const next = pageIn(paging, data, headers)?.next ?? null;
  if (next !== null)
    process.stderr.write(
      `next page: ${paging.position} ${safeText(String(next))}; every page: --all\n`,
    );
}

/** Of an answer that is not a submission's, nothing has to be named. */
const unnamed: Answered = {
  acted: false,
  idempotencyKey: null,
  submissionId: null,
  insurerId: null,
  requestId: null,
};

/** Whatever goes wrong from here on, the call itself was answered. */
async function showing(answered: Answered, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // An answer that did not come whole is the call's own failure.
    if (GatewayError.isInstance(error)) throw error;
    throw new UnshownAnswerError(answered, error);
  }
}

function insurerIdIn({ insurerId }: Endpoint, data: unknown): string | null {
  const found = insurerId === undefined ? undefined : valueAt(data, insurerId);
  return typeof found === "string" ? found : null;
}

async function fetchDocument(
  { gateway, input, options, signal }: ReadyCall,
  endpoint: Endpoint<"document">,
): Promise<void> {
  const download = await gateway.call(endpoint, { ...input, signal });
  const file = options.out ?? download.fileName;
  await showing(unnamed, async () => {
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
  const { position, total = null } = pageIn(paging, data, response.headers) ?? {};
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
