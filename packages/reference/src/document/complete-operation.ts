import type { Paging } from "@insurance-gateway/core/contract";
import {
  type EndpointKind,
  kindPolicies,
  pageParameterInWords,
  pagingInWords,
  pagingOf,
  usualPaging,
} from "@insurance-gateway/core/runtime";
import type { ProblemsOf } from "../errors/possible-problems.ts";
import { type OperationFacts, pagingHeaders, successHeaders } from "./headers.ts";
import { completeSchema, type Direction } from "./json-schema.ts";
import { tagOf } from "./kinds-in-words.ts";
import type {
  Header,
  MediaType,
  Operation,
  Parameter,
  ProviderOperation,
  RequestBodyObject,
  ResponseObject,
} from "./open-api.ts";
import { problemResponses, stateLinks } from "./problem-responses.ts";
import { completePage, pageLabel } from "./usual-page.ts";

/** The inputs that all operations of one document share when they are completed. */
export interface CompletionInputs {
  /** The id of the provider. */
  readonly provider: string;
  readonly problemsOf: ProblemsOf;
  /** Collects the answers and schemas to which operations refer. */
  readonly collect: {
    readonly response: (name: string, response: ResponseObject) => string;
    readonly schema: (name: string, schema: MediaType["schema"]) => void;
  };
}

/** Adds to a provider's operation the parts that the gateway adds to every operation of its kind. */
export function completeOperation(
  operation: ProviderOperation,
  { collect, problemsOf, provider }: CompletionInputs,
): Operation {
  const { description, parameters = [], requestBody, responses, ...more } = operation;
  const { "x-outcome-rules": rules, ...rest } = more;
  const { reconcile } = rules ?? {};
  const kind = operation["x-kind"];
  const paging =
    kind === "search" ? pagingOf({ paging: operation["x-paging"] ?? usualPaging }) : null;
  const facts: OperationFacts = {
    kind,
    provider,
    hasBody: requestBody !== undefined,
    isState: provider === "" && operation.operationId.endsWith("Submission"),
  };
  const completed = [
    ...parameters.map((parameter) => completeParameter(parameter, operation)),
    ...(kind === "submission" ? [idempotencyKey] : []),
  ];
  const successCount = Object.keys(responses).length;
  return {
    ...rest,
    tags: [tagOf(provider, kind).name],
    description: descriptionOf(description, operation, provider),
    ...(completed.length === 0 ? {} : { parameters: completed }),
    ...(requestBody === undefined ? {} : { requestBody: completeBody(requestBody) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          {
            ...response,
            description: descriptionOfSuccess(kind, successCount === 1 ? null : Number(status)),
            headers: {
              ...successHeaders(facts),
              ...(paging === null ? {} : pagingHeaders(paging)),
              ...completeHeaders(response.headers ?? {}),
            },
            ...(kind === "submission" ? { links: stateLinks } : {}),
            ...(response.content === undefined
              ? {}
              : {
                  content: completeContent(response.content, "answer", collect.schema),
                }),
          },
        ]),
      ),
      ...problemResponses(facts, problemsOf(operation.operationId), (words, response) =>
        collect.response(words, response),
      ),
    },
    "x-acts-at-insurer": kindPolicies[kind].actsAtInsurer,
    ...(reconcile === undefined
      ? {}
      : {
          "x-reconciliation": { endpoint: reconcile.endpoint, parameters: reconcile.parameters },
        }),
    ...(paging === null ? {} : { "x-paging": paging }),
  };
}

/** Returns the description of an operation without the summary, followed by the meaning of the operation's kind. */
function descriptionOf(more: string, operation: ProviderOperation, provider: string): string {
  const paging: Paging | undefined = operation["x-paging"];
  const meaning =
    paging === undefined
      ? tagOf(provider, operation["x-kind"]).description
      : `A paged list, newest first. ${pagingInWords(paging)}`;
  return [more, meaning].filter((part) => part !== "").join("\n\n");
}

/**
 * The header parameter for the idempotency key of a submission. The parameter has no example, because a copied key
 * would return the answer of another submission.
 */
const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  description:
    'Identifies this submission, so that you can send it again without a second effect: the number of your case, or a UUID that you create once for each application. A program that generates a key for each call marks it, `"KEY";generated`: then an equal request with another generated key, or without a key, is the same submission.',
  required: false,
  schema: { type: "string", maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  "x-labels": { el: "Κλειδί υποβολής" },
};

function completeParameter(parameter: Parameter, operation: ProviderOperation): Parameter {
  const { in: place, name, required, schema, ...rest } = parameter;
  const facts = { kind: operation["x-kind"], paging: operation["x-paging"] };
  const words = pageParameterInWords(facts, name);
  return {
    name,
    in: place,
    ...(words === null ? {} : { description: words, ...pageLabel(name) }),
    ...rest,
    ...(required === undefined ? {} : { required }),
    schema: completeSchema(schema, "request"),
  };
}

function completeBody({ content, required }: RequestBodyObject): RequestBodyObject {
  return { required, content: completeContent(content, "request") };
}

function completeContent(
  content: Readonly<Record<string, MediaType>>,
  direction: Direction,
  collectSchema?: CompletionInputs["collect"]["schema"],
): Readonly<Record<string, MediaType>> {
  return Object.fromEntries(
    Object.entries(content).map(([mediaType, { schema, ...rest }]) => {
      const page = completePage(schema);
      if (page !== null) collectSchema?.(page.name, completeSchema(page.schema, direction));
      const placed =
        page === null
          ? completeSchema(schema, direction)
          : { $ref: `#/components/schemas/${page.name}` };
      return [mediaType, { schema: placed, ...rest }];
    }),
  );
}

/** Returns the declared headers of an answer. A header without a description gets "The insurer's." */
function completeHeaders(
  headers: NonNullable<ResponseObject["headers"]>,
): NonNullable<ResponseObject["headers"]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      isHeader(header) ? described(header) : header,
    ]),
  );
}

function isHeader(header: NonNullable<ResponseObject["headers"]>[string]): header is Header {
  return "schema" in header;
}

function described({ description, schema }: Header): Header {
  return {
    description: description === "" ? "The insurer's." : description,
    schema: completeSchema(schema, "answer"),
  };
}

/**
 * Describes a successful answer.
 * @param status - null if there is only one success status
 */
function descriptionOfSuccess(kind: EndpointKind, status: number | null): string {
  const text = successText[kind];
  return status === null ? text : `${statusTexts[status] ?? `Status ${status}.`} ${text}`;
}

const statusTexts: Readonly<Record<number, string>> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted: the insurer has not finished with it.",
  204: "Carried out; the answer is empty.",
};

const successText: Readonly<Record<EndpointKind, string>> = {
  lookup: "The list.",
  read: "The requested data.",
  search: "One page, newest first; nothing found is an empty one.",
  document: "The file.",
  quote: "The calculation.",
  submission:
    "The insurer acted, and this is its answer. A decline is an answer, too: look at its status.",
};
