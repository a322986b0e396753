import type { Contract, ContractChange } from "../../src/index.ts";

/** Returns a contract with one endpoint, `POST /things`. */
export function contractWith(
  operation: object,
  schemas: Readonly<Record<string, unknown>> = {},
): Contract {
  return {
    info: {
      title: "Provider X",
      version: "1.0.0",
      "x-provider": {
        id: "provider-x",
        package: "@insurance-gateway/provider-x",
        lines: ["motor"],
      },
    },
    paths: { "/provider-x/things": { post: { ...plain, ...operation } } },
    components: { schemas },
  };
}

const plain = {
  operationId: "createThing",
  summary: "Creates a thing",
  description: "",
  responses: { 204: { description: "" } },
  "x-kind": "submission",
};

/** Returns the contract of an endpoint whose request body has the schema. */
export function requesting(schema: unknown, schemas?: Readonly<Record<string, unknown>>): Contract {
  const content = { "application/json": { schema } };
  return contractWith({ requestBody: { required: true, content } }, schemas);
}

/** Returns the contract of an endpoint whose answer has the schema. */
export function answering(schema: unknown, schemas?: Readonly<Record<string, unknown>>): Contract {
  const content = { "application/json": { schema } };
  return contractWith({ responses: { 200: { description: "", content } } }, schemas);
}

/** The JSON Pointer of the request's schema in an operation. */
export const REQUEST = "/requestBody/content/application~1json/schema";
/** The JSON Pointer of the answer's schema in an operation. */
export const ANSWER = "/responses/200/content/application~1json/schema";

/** Formats each change as `level pointer`. */
export function short(changes: readonly ContractChange[]): readonly string[] {
  return changes.map(({ level, pointer }) => `${level} ${pointer}`);
}
