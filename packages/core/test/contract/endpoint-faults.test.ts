import { describe } from "vitest";
import * as z from "zod/mini";
import { file, list, loose, strict, text, zod, zodSchema } from "../../src/schema/index.ts";
import { answer, type Code, type Declaration, testDeclarations } from "../harness/refused.ts";

const plain = zodSchema<string>(z.string());
const params = strict<{ id: string }>({ id: text() });
const headers = (name: string): object => strict<Record<string, string>>({ [name]: text() });
const reservedHeaders =
  "authorization cookie host forwarded x-forwarded-for connection te content-type accept idempotency-key x-request-id traceparent";

describe("parameter declarations", () => {
  const inPath = (path: string, schema: object | undefined): object => ({ path, params: schema });
  const both = "parameters in the path need `params`, and `params` needs parameters in the path";
  const two = strict<{ a: string; b: string }>({ a: text(), b: text() });
  testDeclarations("the declaration of parameters", [
    ["a path parameter", inPath("/x/{id}", params)],
    ["two path parameters in another order than in `params`", inPath("/x/{b}/{a}", two)],
    [
      "a path that does not begin with a slash",
      inPath("no slash", undefined),
      "the path no slash must be segments or {parameters}, beginning with /; a parameter is a letter, then letters, digits, _ and -, one in a segment",
    ],
    ["`params` for a path without parameters", inPath("/x", params), both],
    ["a path parameter without `params`", inPath("/x/{id}", undefined), both],
    [
      "the same path parameter twice",
      inPath("/{id}/{id}", params),
      "the path /{id}/{id} has a parameter twice",
    ],
    [
      "`params` with other names than the path",
      inPath("/x/{c}/{a}", two),
      "`params` must have the parameters of the path (a, c), not (a, b)",
    ],
    [
      "an optional path parameter",
      inPath("/x/{id}", strict<{ id?: string }>({ id: z.exactOptional(text()) })),
      "`params`: id is part of the path, so it cannot be optional",
    ],
    [
      "an object and a list in a path",
      inPath(
        "/{a}/{b}",
        strict<{ a: { c: string }; b: string[] }>({
          a: z.strictObject({ c: text() }),
          b: list(text(), { minItems: 1 }),
        }),
      ),
      "`params`: a is an object, which only a query can have",
      "`params`: b is a list, which must be `joined` here",
    ],
    [
      "an object and a list in a query",
      {
        query: strict<{ a: { c: string }; b: string[]; "a[d]": string }>({
          a: z.strictObject({ c: text() }),
          b: list(text(), { minItems: 1 }),
          "a[d]": text(),
        }),
      },
    ],
    [
      "an object in a query with a bracket in a field name",
      { query: strict<{ a: { "b]": string } }>({ a: z.strictObject({ "b]": text() }) }) },
      "`query`: a is an object with a field that cannot be written as a text",
    ],
    [
      "a nested object in a query",
      { query: strict<{ a: { b: Code } }>({ a: z.strictObject({ b: zod(answer) }) }) },
      "`query`: a is an object with a field that cannot be written as a text",
    ],
    [
      "an object in a query that may be empty",
      {
        query: strict<{ a: { b?: string } }>({
          a: z.strictObject({ b: z.exactOptional(text()) }),
        }),
      },
      "`query`: a is an object that may be empty, which cannot be written: require a field",
    ],
    [
      "a list of objects in a query",
      { query: strict<{ a: Code[] }>({ a: list(zod(answer)) }) },
      "`query`: a is a list of items that cannot be written as a text",
    ],
    [
      "a list in a query that may be empty",
      { query: strict<{ a: string[] }>({ a: list(text()) }) },
      "`query`: a is a list that may be empty, which cannot be written: give it a minLength of 1",
    ],
    [
      "a nullable query parameter",
      { query: strict<{ a: string | null }>({ a: z.nullable(text()) }) },
      "`query`: a has a type that cannot be written as a text and read again without a change",
    ],
    [
      "a query parameter with the name of another parameter's field",
      {
        query: strict<{ a: { b: string }; "a[b]": string }>({
          a: z.strictObject({ b: text() }),
          "a[b]": text(),
        }),
      },
      "`query`: a[b] must not be both a parameter and a field of another parameter",
    ],
    ["a header", { headers: headers("x-agent") }],
    [
      "headers without a declared name",
      { headers: loose<object>({}) },
      "`headers` must be an object with a property for each header",
    ],
    [
      "headers whose schema is not an object",
      { headers: plain },
      "`headers` must be an object with a property for each header",
    ],
    ...["x agent", "X-Agent"].map(
      (name): Declaration => [
        `the header name ${name}`,
        { headers: headers(name) },
        `\`headers\`: ${name} must be a header's name in lower case`,
      ],
    ),
    ...reservedHeaders
      .split(" ")
      .map(
        (name): Declaration => [
          `the header ${name}`,
          { headers: headers(name) },
          `\`headers\`: ${name} is reserved and must not be declared`,
        ],
      ),
    [
      "a header that is a repeated list",
      { headers: strict<{ "x-a": string[] }>({ "x-a": list(text(), { minItems: 1 }) }) },
      "`headers`: x-a is a list, which must be `joined` here",
    ],
  ]);
});

describe("endpoint kinds", () => {
  testDeclarations("a setting, depending on the endpoint's kind", [
    ["a read with POST", { method: "POST" }],
    ["a read with PUT", { method: "PUT" }, "a read cannot be PUT"],
    ["a lookup with `perAccount`", { kind: "lookup", perAccount: true }],
    [
      "a read with `perAccount`",
      { perAccount: true },
      "`perAccount` must only be set for a lookup: a read is never shared",
    ],
    ["a lookup with a `freshFor` of 1 second", { kind: "lookup", freshFor: 1 }],
    ["a lookup with a `freshFor` of 30 days", { kind: "lookup", freshFor: 2_592_000 }],
    ...[0, 1.5, 2_592_001].map(
      (freshFor): Declaration => [
        `a lookup with a \`freshFor\` of ${freshFor} seconds`,
        { kind: "lookup", freshFor },
        "`freshFor` must be a whole number of seconds from 1 to 2592000",
      ],
    ),
    [
      "a lookup with `freshFor` that may answer with an image",
      {
        kind: "lookup",
        freshFor: 60,
        response: {
          200: { media: { "application/json": answer, "image/png": zodSchema(file()) } },
        },
      },
      "`freshFor` must only be set for answers of JSON or text: image/png is a file",
    ],
    [
      "a read with `freshFor`",
      { freshFor: 60 },
      "`freshFor` must only be set for a lookup: a read is never cached",
    ],
  ]);
});
