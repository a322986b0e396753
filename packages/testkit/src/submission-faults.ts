import { type Endpoint, jsonAnswerOf, valueAt } from "@insurance-gateway/core/contract";
import {
  answersOf,
  createsAtInsurer,
  identifierOf,
  jsonBodyOf,
  matchPointer,
} from "@insurance-gateway/core/runtime";
import { asSchema, type JsonSchema, jsonSchemaOf, schemaAt, wordsOf } from "./json-schemas.ts";
import { unprovenHint } from "./proof.ts";

/** Pattern of the names of text fields that contain a registration plate. */
const PLATE = /^(licen[cs]e|registration|vehicle|car)?_?plate(_?(no|nr|num|number))?$|^vrn$/i;

/**
 * Finds contradictions between a submission's declaration and its schemas: an identifier that is another kind of field,
 * values of `closedWhen` that no status has, and a plate that is not a match field.
 * @param answered - the answers of the examples and of the sandbox
 */
export function submissionFaults(
  name: string,
  endpoint: Endpoint,
  siblings: readonly Endpoint[],
  answered: readonly unknown[],
): readonly string[] {
  if (endpoint.kind !== "submission") return [];
  const answers = answersOf(endpoint).map(([, answer]) => jsonSchemaOf(jsonAnswerOf(answer)));
  const body = jsonSchemaOf(jsonBodyOf(endpoint));
  return [
    ...identifierFaults(endpoint, body, answers),
    ...addressFaults(name, endpoint, siblings, answers),
    ...closedFaults(name, endpoint, answers, answered),
    ...plateFaults(name, endpoint, body, answers),
  ];
}

function identifierFaults(
  endpoint: Endpoint,
  body: JsonSchema,
  answers: readonly JsonSchema[],
): readonly string[] {
  const { at } = identifierOf(endpoint) ?? {};
  if (at === undefined || !createsAtInsurer(endpoint)) return [];
  const found = schemasAt(answers, at);
  const isOther = found.some(
    (schema) =>
      wordsOf(schema) !== undefined ||
      ["date", "date-time", "time"].includes(String(schema.format)) ||
      schema.type === "boolean",
  );
  return [
    ...(schemaAt(body, at) === undefined
      ? []
      : [
          `its \`insurerId\` ${at} is also in its body: the insurer creates an identifier, and no request has it`,
        ]),
    ...(isOther ? [`its \`insurerId\` ${at} is a word, a time or a flag, not an identifier`] : []),
  ];
}

/**
 * Finds an `insurerId` that differs from a path parameter: if `GET /policies/{policyNumber}` exists, `POST /policies`
 * must declare the policy number.
 */
function addressFaults(
  name: string,
  endpoint: Endpoint,
  siblings: readonly Endpoint[],
  answers: readonly JsonSchema[],
): readonly string[] {
  const { at } = identifierOf(endpoint) ?? {};
  if (at === undefined || !createsAtInsurer(endpoint)) return [];
  const named = siblings.flatMap(({ path }) => {
    const [, parameter] = /^\/\{([^}]+)\}$/.exec(path.slice(endpoint.path.length)) ?? [];
    const isBelow = parameter !== undefined && path.startsWith(endpoint.path);
    return isBelow && schemasAt(answers, `/${parameter}`).length > 0 ? [`/${parameter}`] : [];
  });
  return named.length === 0 || named.includes(at)
    ? []
    : [
        `its \`insurerId\` is ${at}, and ${named.join(", ")} is in the path of what it creates${unprovenHint(`${name} insurerId`)}`,
      ];
}

function closedFaults(
  name: string,
  { closedWhen }: Endpoint,
  answers: readonly JsonSchema[],
  answered: readonly unknown[],
): readonly string[] {
  if (closedWhen === undefined) return [];
  const { at, is } = closedWhen;
  const found = schemasAt(answers, at);
  if (found.length === 0) return [`its answer has no ${at}, which \`closedWhen\` names`];
  const words = found.flatMap((schema) => wordsOf(schema) ?? []);
  const seen = new Set([...words, ...answered.map((answer) => valueAt(answer, at))]);
  return is
    .filter((word) => !seen.has(word))
    .map((word) =>
      words.length > 0
        ? `its \`closedWhen\` has ${word}, and ${at} is one of ${words.join(", ")}`
        : `its \`closedWhen\` has ${word}, and no example or scenario answers it at ${at}${unprovenHint(`${name} ${word}`)}`,
    );
}

function schemasAt(answers: readonly JsonSchema[], at: string): readonly JsonSchema[] {
  return answers.map((answer) => schemaAt(answer, at)).filter((schema) => schema !== undefined);
}

/** Finds plates in both body and answer that are not match fields, or have no normaliser. */
function plateFaults(
  name: string,
  { same }: Endpoint,
  body: JsonSchema,
  answers: readonly JsonSchema[],
): readonly string[] {
  if (same === undefined) return [];
  return platesIn(body)
    .filter((place) => answers.some((answer) => schemaAt(answer, place) !== undefined))
    .flatMap((place) => {
      const field = same.find((one) => matchPointer(one) === place);
      if (field === undefined)
        return [
          `its body and its answer have the plate ${place}, which \`same\` does not compare${unprovenHint(`${name} ${place}`)}`,
        ];
      return typeof field === "string"
        ? [
            `the plate ${place} in \`same\` needs a normaliser: insurers write plates with and without spaces and dashes, and in Greek or Latin letters${unprovenHint(`${name} ${place}`)}`,
          ]
        : [];
    });
}

function platesIn({ properties }: JsonSchema, above = ""): readonly string[] {
  return Object.entries(asSchema(properties)).flatMap(([name, value]) => {
    const schema = asSchema(value);
    const place = `${above}/${name}`;
    return schema.type === "string" && PLATE.test(name) ? [place] : platesIn(schema, place);
  });
}
