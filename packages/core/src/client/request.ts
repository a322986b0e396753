import type { Endpoint } from "../contract/endpoint.ts";
import { check, type Fault } from "../contract/faults.ts";
import { fillPath } from "../contract/path.ts";
import { encodeQuery, type QueryValues } from "../contract/query.ts";
import type { Schema } from "../contract/schema.ts";
import { RequestInvalidError } from "../errors/index.ts";
import { KEY_HEADER, keyHeader } from "./idempotency-key.ts";
import type { SubmissionOptions } from "./options.ts";

/** What a caller gives for one call, before it is checked. */
export interface CallInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** A request without what changes from try to try: token and deadline. A submission's has its idempotency key. */
export interface PreparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The endpoint as errors name it: its method and path template. */
export function nameOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

/**
 * Checks the input against the declaration and writes the request.
 * @throws RequestInvalidError with every fault
 */
export function prepare(
  endpoint: Endpoint,
  input: CallInput,
  address: string,
  { headers = {}, idempotencyKey }: SubmissionOptions,
): PreparedRequest {
  const faults: Fault[] = [];
  const part = (schema: Schema<unknown> | undefined, value: unknown, prefix: string): unknown => {
    if (schema === undefined) return undefined;
    const checked = check(schema, withoutUndefined(value ?? {}), prefix);
    if (checked.valid) return checked.value;
    faults.push(...checked.faults);
    return undefined;
  };
  const params = part(endpoint.params, input.params, "/path");
  const query = part(endpoint.query, input.query, "/query");
  const body = part(endpoint.body, input.body, "");
  faults.push(...headerFaults(headers));
  const key = keyHeader(endpoint, idempotencyKey, faults);
  const path = params === undefined ? endpoint.path : fill(endpoint.path, params, faults);
  if (faults.length > 0)
    throw new RequestInvalidError(
      { endpoint: nameOf(endpoint), provider: endpoint.provider },
      faults,
    );
  return {
    method: endpoint.method,
    url: address + path + encodeQuery(asValues(query)),
    headers: {
      ...lowerCase(headers),
      ...key,
      accept: endpoint.file?.mediaType ?? "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Headers that belong to the connection or to the message's framing; a caller cannot set them. */
const FRAMING =
  /^(connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

function headerFaults(headers: Readonly<Record<string, string>>): readonly Fault[] {
  return Object.entries(headers).flatMap(([name, value]): readonly Fault[] => {
    const pointer = "/headers";
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return [{ pointer, code: "FORMAT", message: "has a name that no header can have" }];
    if (FRAMING.test(name))
      return [
        { pointer: `${pointer}/${name}`, code: "VALUE", message: "is the transport's to set" },
      ];
    if (name.toLowerCase() === KEY_HEADER)
      return [
        {
          pointer: `${pointer}/${name}`,
          code: "VALUE",
          message: "is set through `idempotencyKey`",
        },
      ];
    if (!/^[\t\x20-\x7e]*$/.test(value))
      return [
        { pointer: `${pointer}/${name}`, code: "FORMAT", message: "must be printable ASCII" },
      ];
    return [];
  });
}

function fill(template: string, params: unknown, faults: Fault[]): string {
  try {
    return fillPath(template, asValues(params));
  } catch {
    faults.push({ pointer: "/path", code: "FORMAT", message: "must not name another path" });
    return template;
  }
}

function asValues(value: unknown): QueryValues {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Leaves out properties that are undefined, as JSON does, so that `{ limit: undefined }` means no limit. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, withoutUndefined(field)]),
  );
}
