import { bodyOf } from "../contract/body.ts";
import { type CheckedInput, inputChecker } from "../contract/input-checker.ts";
import type { FoundRoute } from "../contract/routes.ts";
import { type DeclaredBody, readDeclaredBody } from "../rules/declared-body.ts";
import { Refusal } from "../rules/refusal.ts";
import { invalidRequest, unsupported, withPage } from "../rules/request-refusals.ts";
import { collectBytes, type TransportRequest } from "../transport/transport.ts";
import type { FakeRoute } from "./kept-submission.ts";

/** @throws Refusal for a request that does not match the contract */
export async function validateInput(
  params: FoundRoute<unknown>["params"],
  { endpoint }: FakeRoute,
  { body, headers }: TransportRequest,
  search: string,
): Promise<CheckedInput> {
  const contentType = headers["content-type"] ?? "";
  const sent = await readSentBody(endpoint, contentType, await bytesOf(body));
  const checked = inputChecker(endpoint)({ params, search, headers, ...sent });
  if (!checked.valid) throw invalidRequest(checked.faults);
  return endpoint.kind === "search" ? withPage(endpoint, checked.value) : checked.value;
}

async function readSentBody(
  endpoint: FakeRoute["endpoint"],
  contentType: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<DeclaredBody | { readonly body: undefined }> {
  const declared = bodyOf(endpoint);
  if (declared === undefined && bytes.byteLength > 0)
    throw new Refusal("INVALID_REQUEST", { detail: "This endpoint takes no body." });
  if (declared === undefined || (bytes.byteLength === 0 && !declared.required))
    return { body: undefined };
  const [named = ""] = contentType.split(";", 1);
  if (!Object.hasOwn(declared.media, named.trim().toLowerCase()))
    throw unsupported(Object.keys(declared.media));
  return readDeclaredBody(endpoint, contentType, bytes).catch(() => {
    throw new Refusal("MALFORMED_JSON", { detail: "The body is not JSON." });
  });
}

async function bytesOf(body: TransportRequest["body"]): Promise<Uint8Array<ArrayBuffer>> {
  if (body === undefined || typeof body === "string") return new TextEncoder().encode(body);
  return new Uint8Array(body instanceof Uint8Array ? body : await collectBytes(body));
}
