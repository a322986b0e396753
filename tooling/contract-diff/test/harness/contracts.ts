import type { Contract, ContractChange } from "../../src/index.ts";

/** A contract of one endpoint, `POST /things`. */
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

/** The contract of an endpoint that takes values of a schema. */
export function requesting(schema: unknown, schemas?: Readonly<Record<string, unknown>>): Contract {
  const content = { "application/json": { schema } };
  return contractWith({ requestBody: { required: true, content } }, schemas);
}

/** The contract of an endpoint that answers with values of a schema. */
export function answering(schema: unknown, schemas?: Readonly<Record<string, unknown>>): Contract {
  const content = { "application/json": { schema } };
  return contractWith({ responses: { 200: { description: "", content } } }, schemas);
}

/** Where the schema of a request is. */
export const REQUEST = "/requestBody/content/application~1json/schema";
/** Where the schema of an answer is. */
export const ANSWER = "/responses/200/content/application~1json/schema";

/** Changes as `level pointer`. */
export function short(changes: readonly ContractChange[]): readonly string[] {
  return changes.map(({ level, pointer }) => `${level} ${pointer}`);
}
