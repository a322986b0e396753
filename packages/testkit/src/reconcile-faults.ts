import { type Endpoint, jsonAnswerOf, type MatchField } from "@insurance-gateway/core/contract";
import {
  answersOf,
  identifierOf,
  isInBody,
  jsonBodyOf,
  matchPointer,
  pagingOf,
  parameterOrigins,
  pathParameters,
} from "@insurance-gateway/core/runtime";
import { asSchema, type JsonSchema, jsonSchemaOf, schemaAt } from "./json-schemas.ts";
import { unprovenHint } from "./proof.ts";

/** Finds a reconciliation that could not work or could prove something wrong after an unknown outcome. */
export function reconcileFaults(
  endpoint: Endpoint,
  siblings: Readonly<Record<string, Endpoint>>,
): readonly string[] {
  const { idempotency, kind, reconcile, same = [] } = endpoint;
  if (kind === "submission" && idempotency === undefined)
    return ["a submission must declare `idempotency`: the insurer's reaction to a repetition"];
  const search = siblings[reconcile?.endpoint ?? ""];
  if (reconcile === undefined || search === undefined) return comparedFaults(endpoint);
  const body = jsonSchemaOf(jsonBodyOf(endpoint));
  const answers = answersOf(endpoint).map(([, answer]) => jsonSchemaOf(jsonAnswerOf(answer)));
  const items = answersOf(search).map(([, page]) =>
    itemOf(search, jsonSchemaOf(jsonAnswerOf(page))),
  );
  const insurerId = identifierOf(endpoint)?.at ?? "";
  const fields = same.map(matchPointer);
  return [
    ...parameterFaults(reconcile.endpoint, Object.keys(reconcile.parameters), search),
    ...originFaults(endpoint, body),
    ...placeFaults("its body", [body], fields),
    ...placeFaults("its answer", answers, [insurerId], ["string", "integer"]),
    ...same.flatMap(normaliserFaults),
    ...items.flatMap((item) => [
      ...placeFaults(
        `an item of ${reconcile.endpoint}`,
        [item],
        [insurerId],
        ["string", "integer"],
      ),
      ...placeFaults(
        `an item of ${reconcile.endpoint}`,
        [item],
        [reconcile.createdAt],
        ["date-time"],
      ),
      ...fields.flatMap((place) => samenessFaults(reconcile.endpoint, body, item, place)),
      ...parameterOrigins(endpoint)
        .filter(({ from, pathParameter }) => pathParameter === null && schemaAt(item, from))
        .filter(({ from }) => !fields.includes(from))
        .map(
          ({ from }) =>
            `its reconciliation ${reconcile.endpoint} searches for ${from}, which \`same\` does not compare${unprovenHint(`same ${from}`)}`,
        ),
    ]),
    ...(/updat|chang|modif|expir/i.test(reconcile.createdAt)
      ? [
          `its reconciliation has the time of the creation at ${reconcile.createdAt}, which is the name of another time${unprovenHint(`createdAt ${reconcile.createdAt}`)}`,
        ]
      : []),
  ];
}

/** Finds match fields that are missing in the body, or in all answers, of a submission without reconciliation. */
function comparedFaults(endpoint: Endpoint): readonly string[] {
  const { same = [] } = endpoint;
  if (same.length === 0) return [];
  const answers = answersOf(endpoint).map(([, answer]) => jsonSchemaOf(jsonAnswerOf(answer)));
  const body = jsonSchemaOf(jsonBodyOf(endpoint));
  return [
    ...same.flatMap(normaliserFaults),
    ...same
      .map(matchPointer)
      .flatMap((place) => [
        ...(schemaAt(body, place) === undefined
          ? [`its body has no ${place}, which \`same\` names`]
          : []),
        ...(answers.some((answer) => schemaAt(answer, place) !== undefined)
          ? []
          : [`its answer has no ${place}, which \`same\` names`]),
      ]),
  ];
}

/** Finds normalisers without an example, with unequal examples, or with another result if applied twice. */
export function normaliserFaults(field: MatchField): readonly string[] {
  if (typeof field === "string") return [];
  const { examples, name, normalise } = field.normaliser;
  if (examples.length === 0) return [`the normaliser ${name} of ${field.at} has no example`];
  return examples.flatMap(([sent, answered]) => [
    ...(normalise(sent) === normalise(answered)
      ? []
      : [
          `the normaliser ${name} of ${field.at} must return the same form for ${sent} and ${answered}`,
        ]),
    ...[sent, answered]
      .filter((text) => normalise(normalise(text)) !== normalise(text))
      .map(
        (text) =>
          `the normaliser ${name} of ${field.at} must not change the normal form of ${text}`,
      ),
  ]);
}

/** Finds missing or unknown parameters of the reconciliation search. The gateway adds only the paging parameters. */
function parameterFaults(
  name: string,
  given: readonly string[],
  search: Endpoint,
): readonly string[] {
  const { position, size } = pagingOf(search);
  const isPaging = (parameter: string): boolean => [position, size.name].includes(parameter);
  const query = search.query === undefined ? {} : jsonSchemaOf(search.query);
  const body = jsonSchemaOf(jsonBodyOf(search));
  const inPath = pathParameters(search.path);
  const inQuery = Object.keys(asSchema(query.properties));
  const isKnown = (parameter: string): boolean =>
    isInBody(parameter)
      ? schemaAt(body, parameter) !== undefined
      : inPath.includes(parameter) || inQuery.includes(parameter);
  const required = [
    ...requiredPlaces(query).map((place) => place.slice(1)),
    ...requiredPlaces(body),
  ];
  return [
    ...given
      .filter((parameter) => !isKnown(parameter) || isPaging(parameter))
      .map((parameter) => `its reconciliation ${name} has no parameter ${parameter}`),
    ...given
      .filter((parameter) => inPath.includes(parameter) && inQuery.includes(parameter))
      .map(
        (parameter) => `its reconciliation ${name} has ${parameter} in its path and in its query`,
      ),
    ...required
      .filter((parameter) => !isPaging(parameter) && !given.includes(parameter))
      .map(
        (parameter) =>
          `its reconciliation ${name} needs ${parameter}, and \`parameters\` has no value for it`,
      ),
  ];
}

/** Returns the JSON Pointers of all required values of an object that have no required value below. */
function requiredPlaces({ properties, required }: JsonSchema, above = ""): readonly string[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return names.flatMap((name) => {
    const place = `${above}/${String(name)}`;
    const below = requiredPlaces(asSchema(asSchema(properties)[String(name)]), place);
    return below.length > 0 ? below : [place];
  });
}

/**
 * Finds parameters of the reconciliation search whose value is not in the submission, or is in both the path and the
 * body of the submission.
 */
function originFaults(endpoint: Endpoint, body: JsonSchema): readonly string[] {
  const origins = parameterOrigins(endpoint);
  const inBody = origins.filter(({ pathParameter }) => pathParameter === null);
  return [
    ...placeFaults(
      "its body",
      [body],
      inBody.map(({ from }) => from),
    ),
    ...origins
      .filter(({ from, pathParameter }) => pathParameter !== null && schemaAt(body, from))
      .map(({ from }) => `its reconciliation has ${from}, which is in its path and in its body`),
  ];
}

/** Finds JSON Pointers at which the schema has no value, or a value of the wrong type or format. */
function placeFaults(
  whose: string,
  schemas: readonly JsonSchema[],
  places: readonly string[],
  wanted?: readonly string[],
): readonly string[] {
  return places.flatMap((place) => {
    const found = schemas.map((schema) => schemaAt(schema, place)).find((at) => at !== undefined);
    if (found === undefined) return [`${whose} has no ${place}, which its reconciliation needs`];
    const fits =
      wanted === undefined || wanted.some((one) => found.type === one || found.format === one);
    return fits
      ? []
      : [
          `${whose} has a ${place} that is no ${wanted.join(" or ")}, which its reconciliation needs`,
        ];
  });
}

/** Finds match fields that would never be equal, because the types in the body and in an item differ. */
function samenessFaults(
  search: string,
  body: JsonSchema,
  item: JsonSchema,
  place: string,
): readonly string[] {
  const sent = schemaAt(body, place);
  const found = schemaAt(item, place);
  if (found === undefined)
    return [`an item of ${search} has no ${place}, which its reconciliation needs`];
  if (sent === undefined || sent.type === found.type) return [];
  return [
    `its reconciliation compares ${place}, which is a ${String(sent.type)} in the body and a ${String(found.type)} in an item of ${search}`,
  ];
}

/** Returns the schema of one item of a page. */
function itemOf(search: Endpoint, page: JsonSchema): JsonSchema {
  return asSchema(schemaAt(page, pagingOf(search).items)?.items);
}
