import { text } from "./schema-changes.ts";

/** A body of strings in JSON. */
export const json: object = { "application/json": { schema: text } };

/** An operation with one parameter in the query. */
export function query(name: string, more: object = {}): object {
  return { parameters: [{ name, in: "query", required: false, schema: text, ...more }] };
}

/** An operation with a request body. */
export function body(required: boolean, content: object = json): object {
  return { requestBody: { required, content } };
}
