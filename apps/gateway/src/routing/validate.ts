import type { Endpoint, Fault } from "@insurance-gateway/core/contract";
import {
  bodyFormatOf,
  bodyOf,
  type CheckedInput,
  decodeForm,
  type FormEntry,
  type FormFields,
  formFieldsOf,
  type HeaderTexts,
  type InputChecker,
  inputChecker,
  invalidRequest,
  Refusal,
  unsupported,
  withPage,
} from "@insurance-gateway/core/runtime";
import { compileSchema } from "../compile-schema.ts";
import type { ReceivedBody } from "../http/body.ts";
import { parseJson } from "../json.ts";

/** The parts of a request as text, before their types are known. */
export interface RequestParts {
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The query string, without its question mark. */
  readonly search: string;
  /** The headers, each with all its values. */
  readonly headers: HeaderTexts;
  readonly body: ReceivedBody | undefined;
  /** The declared media type of the body; null if the request states no Content-Type. */
  readonly mediaType: string | null;
  /** Maximum nested levels of a JSON body. */
  readonly jsonDepth: number;
}

/** Converts a request to the declared types; throws a Refusal with every fault if the request is invalid. */
export type ValidateInput = (parts: RequestParts) => CheckedInput;

/** Creates the validation for one endpoint. The first request compiles the schemas; each takes 0.4 ms. */
export function createValidate(endpoint: Endpoint): ValidateInput {
  let checker: InputChecker | undefined;
  let parseBody: ReturnType<typeof createParseBody> | undefined;
  return ({ params, search, headers, body, jsonDepth, mediaType }) => {
    checker ??= inputChecker(endpoint, compileSchema);
    parseBody ??= createParseBody(endpoint);
    const { repeated = [], value } = parseBody({ body, jsonDepth, mediaType });
    const checked = checker({
      params,
      search,
      headers,
      body: value,
      ...(mediaType === null ? {} : { mediaType }),
    });
    if (!checked.valid || repeated.length > 0)
      throw invalidRequest(checked.valid ? repeated : [...repeated, ...checked.faults]);
    return endpoint.kind === "search" ? withPage(endpoint, checked.value) : checked.value;
  };
}

/** A body in the form that its schema expects, with the faults that only the parser can find. */
interface ParsedBodyWithFaults {
  readonly value: unknown;
  readonly repeated?: readonly Fault[];
}

/** Creates the parser of an endpoint's bodies. */
function createParseBody(
  endpoint: Endpoint,
): (parts: Pick<RequestParts, "body" | "jsonDepth" | "mediaType">) => ParsedBodyWithFaults {
  const declared = bodyOf(endpoint);
  const fields = new Map<string, FormFields>();
  const form = (
    entries: Iterable<FormEntry>,
    mediaType: string,
    jsonDepth: number,
  ): ParsedBodyWithFaults => {
    const schema = declared?.media[mediaType];
    const known = fields.get(mediaType) ?? (schema === undefined ? {} : formFieldsOf(schema));
    fields.set(mediaType, known);
    return decodeForm(entries, known, (text) => parseJson(Buffer.from(text), jsonDepth));
  };
  return ({ body, jsonDepth, mediaType }) => {
    if (declared === undefined) return { value: undefined };
    if (body?.type === "file" && (body.file.size > 0 || declared.required))
      return { value: body.file };
    if (body?.type === "form" && mediaType !== null)
      return form(body.entries, mediaType, jsonDepth);
    const bytes = body?.type === "bytes" ? body.bytes : new Uint8Array();
    if (bytes.byteLength === 0 && !declared.required) return { value: undefined };
    // Only an optional body can arrive without a type.
    if (mediaType === null) throw unsupported(Object.keys(declared.media));
    switch (bodyFormatOf(mediaType)) {
      case "form":
        return form(readUrlEncoded(bytes), mediaType, jsonDepth);
      case "text":
        return { value: decodeText(bytes) };
      default:
        if (bytes.byteLength === 0)
          throw new Refusal("MALFORMED_JSON", { detail: "The body is empty; send a JSON object." });
        return { value: parseJson(bytes, jsonDepth) };
    }
  };
}

/**
 * Decodes a text body.
 * @throws Refusal INVALID_REQUEST if the body is not UTF-8
 */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal("INVALID_REQUEST", { detail: "The body is not UTF-8; send text in UTF-8." });
  }
}

/**
 * Decodes a URL-encoded form to its fields.
 * @throws Refusal INVALID_REQUEST if two servers could decode the form in different ways
 */
function readUrlEncoded(bytes: Uint8Array): Iterable<readonly [string, string]> {
  const text = Buffer.from(bytes).toString("latin1");
  if (!isPercentEncoded(text))
    throw new Refusal("INVALID_REQUEST", {
      detail: "The form must be percent-encoded UTF-8 (application/x-www-form-urlencoded).",
    });
  // `URLSearchParams` would remove a question mark at the beginning of the form.
  return new URLSearchParams(text.replace(/^\?/, "%3F"));
}

function isPercentEncoded(text: string): boolean {
  if (!/^[\x21-\x7e]*$/.test(text)) return false;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
