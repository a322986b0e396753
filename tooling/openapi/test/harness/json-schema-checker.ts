import type { JsonSchema, OpenApiDocument } from "@insurance-gateway/reference";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Decimal } from "decimal.js";

/** Whether a value fits a schema of a document, as JSON Schema 2020-12 says. */
export type Fits = (value: unknown) => boolean;

/** Makes checkers of the schemas that stand in a document. */
export function createJsonSchemaChecker(document: OpenApiDocument): (schema: JsonSchema) => Fits {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: false });
  // A package of the older kind: its function is the default of its default.
  addFormats.default(ajv);
  // ajv divides, so that 0.07 is no multiple of 0.01; the specification means the numbers themselves.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    validate: (divisor: number, value: number) => new Decimal(value).mod(divisor).isZero(),
  });
  ajv.addSchema({ $id: "document", ...document });
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = ajv.compile(JSON.parse(text));
    return (value) => validate(value);
  };
}
