import { snippetz } from "@scalar/snippetz";
import type { Deployment } from "../deployment/deployment.ts";
import type { CodeSample, OpenApiDocument } from "../document/open-api.ts";
import { bodyText, curlUpload, isUpload } from "./bodies.ts";
import { type Language, languages } from "./languages.ts";
import {
  addressOf,
  KEY_PLACEHOLDER,
  type PlacedOperation,
  type SampleRequest,
  sampleRequest,
  TOKEN_PLACEHOLDER,
} from "./sample-request.ts";
import { typescriptSnippet } from "./typescript.ts";

/** Writes an operation's example in every language, starting with this project's client. */
export function snippetsOf(
  placed: PlacedOperation,
  document: OpenApiDocument,
  deployment: Deployment,
  exampleName?: string,
): readonly CodeSample[] {
  const request = sampleRequest(placed, deployment, exampleName);
  const typescript = typescriptSnippet(placed, request, document, deployment);
  return [
    ...(typescript === null
      ? []
      : [{ lang: "typescript", label: "TypeScript", source: typescript }]),
    ...(isUpload(request)
      ? [{ lang: "shell", label: "curl", source: curlUpload(request) }]
      : languages.map((language) => ({
          lang: language.lang,
          label: language.label,
          source: snippetIn(language, request),
        }))),
  ];
}

const printer = snippetz();

function snippetIn({ client, complete, target }: Language, request: SampleRequest): string {
  // The table contains only targets and clients of the library; a test writes snippets for all of these.
  const known = target as Parameters<typeof printer.print>[0];
  const its = client as Parameters<typeof printer.print>[1];
  const text = printer.print(known, its, harOf(request));
  if (text === undefined) throw new TypeError(`snippetz does not know ${target} ${client}`);
  return complete(text, request.file);
}

/** Returns the request as HAR 1.2 with a complete URL, because languages differ in their encoding. */
function harOf(request: SampleRequest): Parameters<typeof printer.print>[2] {
  const { acts, headers, method } = request;
  const text = bodyText(request);
  return {
    method,
    url: addressOf(request),
    httpVersion: "HTTP/1.1",
    cookies: [],
    queryString: [],
    headersSize: -1,
    bodySize: -1,
    headers: [
      { name: "Authorization", value: `Bearer ${TOKEN_PLACEHOLDER}` },
      ...(text === null ? [] : [{ name: "Content-Type", value: text.mediaType }]),
      ...Object.entries(headers).map(([name, value]) => ({ name, value: String(value) })),
      ...(acts ? [{ name: "Idempotency-Key", value: KEY_PLACEHOLDER }] : []),
    ],
    ...(text === null ? {} : { postData: { mimeType: text.mediaType, text: text.text } }),
  };
}
