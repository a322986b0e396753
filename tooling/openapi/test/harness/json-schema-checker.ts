import type { JsonSchema, OpenApiDocument } from "@insurance-gateway/reference";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A function that reports whether a value is valid against a schema of a document (JSON Schema 2020-12). */
export type IsValid = (value: unknown) => boolean;

/** Creates a function that compiles the document's schemas to checkers. */
export function createJsonSchemaChecker(
  document: OpenApiDocument,
): (schema: JsonSchema) => IsValid {
  const ajv = createAjv();
  const isDateTime = createAjv().compile({ type: "string", format: "date-time" });
  // The package `ajv-formats` also accepts a space instead of the T, which RFC 3339, section 5.6, does not allow.
  ajv.addFormat("date-time", (text) => !text.includes(" ") && isDateTime(text));
  ajv.addSchema({ $id: "document", ...document });
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = ajv.compile(JSON.parse(text));
    return (value) => validate(value);
  };
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: false });
  // The package is CommonJS, so its function is the `default` of its default export.
  addFormats.default(ajv);
  return ajv;
}
