import { snippetz } from "@scalar/snippetz";
import type { Deployment } from "../deployment/deployment.ts";
import type { CodeSample, OpenApiDocument } from "../document/open-api.ts";
import { type Language, languages } from "./languages.ts";
import {
  type PlacedOperation,
  type SampleRequest,
  sampleRequest,
  TOKEN_PLACEHOLDER,
} from "./sample-request.ts";
import { typescriptSnippet } from "./typescript.ts";

/** Writes an operation's example in every language, our own client first. */
export function snippetsOf(
  placed: PlacedOperation,
  document: OpenApiDocument,
  deployment: Deployment,
  exampleName?: string,
): readonly CodeSample[] {
  const request = sampleRequest(placed, deployment, exampleName);
  return [
    {
      lang: "typescript",
      label: "TypeScript",
      source: typescriptSnippet(placed, request, document, deployment),
    },
    ...languages.map((language) => ({
      lang: language.lang,
      label: language.label,
      source: snippetIn(language, request),
    })),
  ];
}

const printer = snippetz();

function snippetIn({ client, complete, target }: Language, request: SampleRequest): string {
  // The table names targets and clients that the library has; a test writes all of them.
  const known = target as Parameters<typeof printer.print>[0];
  const text = printer.print(known, client as never, harOf(request));
  if (text === undefined) throw new TypeError(`snippetz does not know ${target} ${client}`);
  return complete(text);
}

/** The request as HAR 1.2 has it. */
function harOf({ body, method, query, url }: SampleRequest): Parameters<typeof printer.print>[2] {
  const headers = [{ name: "Authorization", value: `Bearer ${TOKEN_PLACEHOLDER}` }];
  const common = {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    queryString: Object.entries(query).map(([name, value]) => ({ name, value: String(value) })),
    headersSize: -1,
    bodySize: -1,
  };
  if (body === undefined) return { ...common, headers };
  return {
    ...common,
    headers: [...headers, { name: "Content-Type", value: "application/json" }],
    postData: { mimeType: "application/json", text: JSON.stringify(body) },
  };
}
