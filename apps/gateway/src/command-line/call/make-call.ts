import type { Gateway, SubmissionOptions } from "@insurance-gateway/core";
import type { Endpoint } from "@insurance-gateway/core/contract";
import { printAnswer } from "../output/print.ts";
import type { CommonOptions } from "./common-options.ts";
import type { CallInput } from "./input.ts";
import { saveDocument, showProgress, writeDocument } from "./save-document.ts";

/** A call that is ready to be made. */
export interface ReadyCall {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly input: CallInput & SubmissionOptions;
  readonly options: CommonOptions;
}

/**
 * Makes a call and shows its answer, by the endpoint's kind.
 * @throws GatewayError when it fails; Error when a document cannot be written
 */
export async function makeCall(call: ReadyCall): Promise<void> {
  const { endpoint, gateway, input, options } = call;
  if (isDocument(endpoint)) await fetchDocument(call, endpoint);
  else if (isSearch(endpoint) && options.all === true)
    printAnswer(await everyPage(gateway, endpoint, input), options.output);
  else printAnswer(await gateway.call(endpoint, input), options.output);
}

async function fetchDocument(
  { gateway, input, options }: ReadyCall,
  endpoint: Endpoint<"document">,
): Promise<void> {
  const download = await gateway.call(endpoint, input);
  const file = options.out ?? download.fileName;
  if (file === "-") return writeDocument(download);
  const progress = showProgress(process.stderr, download);
  const saved = await saveDocument(download, file, options.force === true, progress.moved).finally(
    progress.end,
  );
  printAnswer(saved, options.output);
}

async function everyPage(
  gateway: Gateway,
  endpoint: Endpoint<"search">,
  input: CallInput,
): Promise<object> {
  const search = gateway.call(endpoint, input);
  const { start, total } = await search;
  const items: unknown[] = [];
  for await (const item of search) items.push(item);
  return { items, start, total };
}

function isDocument(endpoint: Endpoint): endpoint is Endpoint<"document"> {
  return endpoint.kind === "document";
}

function isSearch(endpoint: Endpoint): endpoint is Endpoint<"search"> {
  return endpoint.kind === "search";
}
