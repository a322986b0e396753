import { text } from "./schema-changes.ts";

/** A JSON body that is a string. */
export const json: object = { "application/json": { schema: text } };

/** Returns an operation with one query parameter. */
export function query(name: string, more: object = {}): object {
  return { parameters: [{ name, in: "query", required: false, schema: text, ...more }] };
}

/** Returns an operation with a request body. */
export function body(required: boolean, content: object = json): object {
  return { requestBody: { required, content } };
}
