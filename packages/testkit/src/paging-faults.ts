import { check, type Endpoint, jsonAnswerOf, type Paging } from "@insurance-gateway/core/contract";
import {
  type AnswerPlace,
  answersOf,
  firstPosition,
  hasNumberedPages,
  isInBody,
  jsonBodyOf,
  type PageRequest,
  pagingOf,
  withPageParameters,
} from "@insurance-gateway/core/runtime";
import { isRequired, type JsonSchema, jsonSchemaOf, schemaAt } from "./json-schemas.ts";

/** Finds a paging whose pages cannot be requested or read. Otherwise the fault would appear only with a second page. */
export function pagingFaults(endpoint: Endpoint): readonly string[] {
  if (endpoint.kind !== "search") return [];
  const paging = pagingOf(endpoint);
  return [
    ...answersOf(endpoint).flatMap(([, answer]) =>
      answerFaults(paging, jsonSchemaOf(jsonAnswerOf(answer))),
    ),
    ...positionFaults(endpoint, paging),
    ...sizeFaults(endpoint, paging),
  ];
}

function answerFaults(paging: Paging, answer: JsonSchema): readonly string[] {
  const { echo, items, next, size, total } = paging;
  const placeFaults = (
    what: string,
    place: AnswerPlace | undefined,
    types: readonly unknown[],
  ): readonly string[] =>
    typeof place !== "string" || types.includes(schemaAt(answer, place)?.type)
      ? []
      : [`its paging has ${what} at ${place || "the root"}, but its answer has no such field`];
  const number = ["integer", "number"];
  return [
    ...placeFaults("the items", items, ["array"]),
    ...placeFaults("the total", total, [...number, "string"]),
    ...placeFaults("the next page", next, [...number, "string"]),
    ...placeFaults("the position", echo, number),
    ...placeFaults("the size", size.echo, number),
  ];
}

function positionFaults(endpoint: Endpoint, paging: Paging): readonly string[] {
  const first = firstPosition(paging);
  const types = hasNumberedPages(paging) ? ["integer"] : ["string", "integer"];
  const faults = parameterFaults(endpoint, paging.position, types);
  if (faults.length > 0 || first === undefined) return faults;
  const at = (position: number): PageRequest => ({ position, size: paging.size.usual });
  return [
    ...(accepts(endpoint, paging.position, at(first))
      ? []
      : [`its parameter ${paging.position} refuses ${first}, the first page`]),
    ...(accepts(endpoint, paging.position, at(first - 1))
      ? [`its parameter ${paging.position} accepts ${first - 1}, before the first page`]
      : []),
  ];
}

function sizeFaults(endpoint: Endpoint, { size, ...paging }: Paging): readonly string[] {
  const { most = size.usual, name, usual } = size;
  if (name === undefined) return [];
  const faults = parameterFaults(endpoint, name, ["integer"]);
  if (faults.length > 0) return faults;
  const position = firstPosition({ ...paging, size });
  const isTaken = (number: number): boolean => accepts(endpoint, name, { position, size: number });
  return [
    ...[usual, most]
      .filter((number, index, all) => all.indexOf(number) === index && !isTaken(number))
      .map((number) => `its parameter ${name} refuses ${number} items, which its paging allows`),
    ...[0, most + 1]
      .filter(isTaken)
      .map(
        (number) =>
          `its parameter ${name} accepts ${number} items, which its paging does not allow`,
      ),
  ];
}

/** Finds paging parameters that are missing, or required although a request for the first page omits them. */
function parameterFaults(
  endpoint: Endpoint,
  name: string,
  types: readonly string[],
): readonly string[] {
  const declared = isInBody(name) ? jsonBodyOf(endpoint) : endpoint.query;
  const pointer = isInBody(name) ? name : `/${name}`;
  const schema = jsonSchemaOf(declared);
  const found = schemaAt(schema, pointer);
  if (found === undefined)
    return [`its paging has the parameter ${name}, but the search has no such parameter`];
  return [
    ...(types.includes(String(found.type))
      ? []
      : [
          `its parameter ${name} is a ${String(found.type)}, and its paging needs ${types.join(" or ")}`,
        ]),
    ...(isRequired(schema, pointer) ? [`its parameter ${name} must be optional`] : []),
  ];
}

/** Reports whether the schema of a paging parameter accepts a page's value. Other parameters are ignored. */
function accepts(endpoint: Endpoint, name: string, request: PageRequest): boolean {
  const { body, query } = withPageParameters<{ query?: unknown; body?: unknown }>(
    pagingOf(endpoint),
    {},
    request,
  );
  const [schema, value] = isInBody(name) ? [jsonBodyOf(endpoint), body] : [endpoint.query, query];
  const checked = schema && check(schema, value);
  const pointer = isInBody(name) ? name : `/${name}`;
  return (
    checked === undefined ||
    checked.valid ||
    !checked.faults.some((fault) => fault.pointer === pointer)
  );
}
