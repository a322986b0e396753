import type { Endpoint } from "../contract/endpoint.ts";
import type { Fault } from "../contract/faults.ts";
import { answerTypes } from "../contract/files.ts";
import { checkPlain } from "../contract/input-checker.ts";
import { parameterNames } from "../contract/parameter-forms.ts";
import { fillPath, isOtherPath, pathParameters } from "../contract/path.ts";
import {
  encodeHeaders,
  encodeQuery,
  headerTextFaults,
  type QueryValues,
} from "../contract/query.ts";
import type { Schema } from "../contract/schema.ts";
import { RequestInvalidError } from "../errors/index.ts";
import type { WrittenBody } from "../transport/request-body.ts";
import {
  KEY_HEADER,
  type KeyOptions,
  keyHeader,
  type SubmissionKey,
  submissionKeyOf,
} from "./idempotency-key.ts";
import type { SubmissionOptions } from "./options.ts";
import { chooseBody, serializeBody, withoutUndefined } from "./request-body.ts";

/** Input of one call, before its check. */
export interface CallInput {
  readonly params?: unknown;
  readonly query?: unknown;
  /** Declared headers and other headers. */
  readonly headers?: object | undefined;
  readonly body?: unknown;
}

/** Input and options of a call of any endpoint, before their check. */
export type UncheckedInput = CallInput & Omit<SubmissionOptions, "headers"> & KeyOptions;

/** Options of a call that affect its request. */
export interface RequestOptions extends KeyOptions, Pick<SubmissionOptions, "mediaType"> {}

/** Request without the token and the deadline, which differ between attempts. */
export interface PreparedRequest {
  /** Key of a submission; null for any other request. */
  readonly submission: SubmissionKey | null;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: WrittenBody["content"];
  /** True if the request can be sent a second time; false if it has a streamed file. */
  readonly isRepeatable: boolean;
}

/** Returns the name of an endpoint in errors: its method and path template. */
export function endpointNameOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

/**
 * Validates the input against the declaration and builds the request.
 * @param ofArgument - faults of the call's argument itself
 * @throws RequestInvalidError with every fault
 */
export function prepareRequest(
  endpoint: Endpoint,
  input: CallInput,
  address: string,
  { mediaType, ...ofKey }: RequestOptions,
  ofArgument: readonly Fault[],
): PreparedRequest {
  const faults: Fault[] = [...ofArgument];
  // If the argument has faults, a part may be missing only because its name is misspelt.
  const isChecked = (value: unknown): boolean => value !== undefined || ofArgument.length === 0;
  const part = (schema: Schema<unknown> | undefined, value: unknown, prefix: string): unknown => {
    if (schema === undefined || !isChecked(value)) return undefined;
    const checked = checkPlain(schema, withoutUndefined(value ?? {}), prefix);
    if (checked.valid) return checked.value;
    faults.push(...checked.faults);
    return undefined;
  };
  const { declared: given, further } = separateHeaders(endpoint.headers, input.headers ?? {});
  const params = part(endpoint.params, input.params, "/path");
  const query = part(endpoint.query, input.query, "/query");
  const chosen = isChecked(input.body)
    ? chooseBody(endpoint, input.body, mediaType, faults)
    : undefined;
  const declared = encodeHeaders(objectOrEmpty(part(endpoint.headers, given, "/headers")));
  for (const [name, text] of Object.entries(declared)) faults.push(...headerTextFaults(name, text));
  faults.push(...headerFaults(further));
  const submission = submissionKeyOf(endpoint, ofKey, faults);
  const path =
    params === undefined ? endpoint.path : fillPathTemplate(endpoint.path, params, faults);
  const body = chosen && faults.length === 0 ? serializeBody(chosen, faults) : undefined;
  if (faults.length > 0)
    throw new RequestInvalidError(
      { endpoint: endpointNameOf(endpoint), provider: endpoint.provider },
      faults,
    );
  return {
    submission,
    method: endpoint.method,
    url: address + path + encodeQuery(objectOrEmpty(query), endpoint.query),
    headers: {
      ...lowerCaseNames(further),
      ...declared,
      ...keyHeader(submission),
      accept: answerTypes(endpoint).join(", "),
      ...(body === undefined ? {} : bodyHeaders(body)),
    },
    ...(body === undefined ? {} : { body: body.content }),
    isRepeatable: body?.isRepeatable ?? true,
  };
}

function bodyHeaders({ contentType, size }: WrittenBody): Readonly<Record<string, string>> {
  return {
    "content-type": contentType,
    ...(size === null ? {} : { "content-length": String(size) }),
  };
}

/** Headers of the connection, and of the framing and coding of messages. The calling program cannot set them. */
const TRANSPORT_HEADERS =
  /^(accept-encoding|connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

function headerFaults(headers: QueryValues): readonly Fault[] {
  return Object.entries(headers).flatMap(([name, value]): readonly Fault[] => {
    const pointer = "/headers";
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return [{ pointer, code: "FORMAT", message: "must contain only valid header names" }];
    if (TRANSPORT_HEADERS.test(name))
      return [{ pointer: `${pointer}/${name}`, code: "VALUE", message: "is set by the transport" }];
    if (name.toLowerCase() === KEY_HEADER)
      return [
        {
          pointer: `${pointer}/${name}`,
          code: "VALUE",
          message: "is set through `idempotencyKey`",
        },
      ];
    if (typeof value !== "string" || !/^[\t\x20-\x7e]*$/.test(value))
      return [
        { pointer: `${pointer}/${name}`, code: "FORMAT", message: "must be printable ASCII" },
      ];
    return [];
  });
}

function fillPathTemplate(template: string, params: unknown, faults: Fault[]): string {
  const values = objectOrEmpty(params);
  const segments = template.split("/");
  const others = pathParameters(template).filter((name) => {
    const text = String(values[name] ?? "");
    const segment = segments.find((one) => one.includes(`{${name}}`)) ?? "";
    const isOther = isOtherPath(segment.replace(`{${name}}`, () => text));
    return text === "" || !text.isWellFormed() || isOther;
  });
  const message =
    "must not be empty, `.` or `..`, and must not contain a slash, backslash, control character or half of a surrogate pair, not even percent-encoded";
  for (const name of others) faults.push({ pointer: `/path/${name}`, code: "FORMAT", message });
  return others.length === 0 ? fillPath(template, values) : template;
}

/** Returns the value if it is an object, otherwise an empty object. */
function objectOrEmpty(value: unknown): QueryValues {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Separates the headers of a call: declared headers with lower-case names, and other headers unchanged. */
function separateHeaders(
  schema: Schema<unknown> | undefined,
  headers: object,
): { readonly declared: QueryValues; readonly further: Readonly<Record<string, string>> } {
  const names = schema === undefined ? [] : parameterNames(schema);
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  const isDeclared = ([name]: readonly [string, unknown]): boolean =>
    names.includes(name.toLowerCase());
  return {
    declared: lowerCaseNames(Object.fromEntries(given.filter(isDeclared))),
    further: Object.fromEntries(given.filter((entry) => !isDeclared(entry))),
  };
}

function lowerCaseNames<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
