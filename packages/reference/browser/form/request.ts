import { type Values, valueAt } from "./values.ts";

/** The URL, the headers and the body of a request. */
export interface BuiltRequest {
  /** The path and the query of the request. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

/** The body to send. A text that the reader entered is sent unchanged. */
export interface FormBody {
  readonly mediaType: string;
  readonly format: string;
  /** The text that the reader entered; null if the values of the fields are sent. */
  readonly text: string | null;
}

/**
 * Builds the request of a form.
 * @throws TypeError for an invalid header value
 */
export function buildRequest(
  { dataset }: HTMLFormElement,
  values: Values,
  body: FormBody | null,
): BuiltRequest {
  const { joined = "", path = "" } = dataset;
  const url = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(valueAt(values, ["path", name]))),
  );
  const query = queryOf(Object(values.query), joined.split(" ")).toString();
  const headers = new Headers(
    Object.entries(Object(values.headers)).map(([name, value]) => [name, textOf(value)]),
  );
  // The browser adds the boundary of a multipart form.
  if (body !== null && body.format !== "multipart") headers.set("content-type", body.mediaType);
  return {
    url: query === "" ? url : `${url}?${query}`,
    headers,
    body: body === null ? null : contentOf(body, values.body),
  };
}

/** Returns the query: lists are repeated or joined with commas, objects are written as `name[field]`. */
function queryOf(
  values: Readonly<Record<string, unknown>>,
  joined: readonly string[],
): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value) && !joined.includes(name))
      for (const item of value) query.append(name, textOf(item));
    else if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [field, text] of Object.entries(value))
        query.append(`${name}[${field}]`, textOf(text));
    else query.append(name, textOf(value));
  return query;
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}

function contentOf({ format, text }: FormBody, value: unknown): BodyInit | null {
  if (text !== null) return text;
  if (format === "json") return JSON.stringify(value);
  if (format === "bytes") return value instanceof File ? value : null;
  const entries = entriesOf(value);
  if (format === "form")
    return new URLSearchParams(
      entries.map(([name, one]) => [
        name,
        typeof one === "object" ? JSON.stringify(one) : String(one),
      ]),
    );
  const form = new FormData();
  for (const [name, one] of entries)
    if (typeof one !== "object" || one === null) form.append(name, String(one));
    else if (one instanceof File) form.append(name, one);
    else form.append(name, new Blob([JSON.stringify(one)], { type: "application/json" }));
  return form;
}

/** Returns the fields of a form: one for each item of a list, none for a missing value. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(Object(value)).flatMap(([name, held]) =>
    [held]
      .flat()
      .flatMap((one: unknown) => (one === undefined || one === null ? [] : [[name, one] as const])),
  );
}
