import type { Endpoint } from "@insurance-gateway/core/contract";
import { areAmbiguous, providerFaults } from "@insurance-gateway/core/runtime";
import { kebabCase } from "./names/words.ts";
import type { ImportedAnswer, ImportedEndpoint } from "./operations/model.ts";
import type { LossReport } from "./report.ts";
import type { SchemaOf } from "./schemas/zod-of.ts";

/**
 * Returns the endpoints that can be declared. If one request could match the paths of two endpoints, the second
 * endpoint gets another public path. An operation that cannot be declared is omitted and reported.
 */
export function workingEndpoints(
  endpoints: readonly ImportedEndpoint[],
  provider: string,
  schemaOf: SchemaOf,
  report: LossReport,
): readonly ImportedEndpoint[] {
  const working: Working[] = [];
  for (const one of endpoints) {
    const declared = declarationOf(one, provider, schemaOf);
    const clash = working.find((other) => areAmbiguous(declared, other.declared));
    const endpoint = clash === undefined ? one : withOwnPath(one, clash.endpoint, report);
    const final = { ...declared, path: endpoint.path };
    const faults = providerFaults({
      contract: 2,
      id: provider,
      name: provider,
      lines: [],
      // Fields that reconciliation needs from another endpoint's search are checked later, by the conformance test.
      endpoints: { [one.name]: withoutReconciliation(final) },
    });
    for (const fault of faults)
      report.add({
        operation: one.operation,
        pointer: one.pointer,
        effect: `The operation is left out: ${fault.replace(`${one.name}: `, "")}.`,
        severity: "lost",
      });
    if (faults.length === 0) working.push({ endpoint, declared: final });
  }
  return working.map(({ endpoint }) => endpoint);
}

interface Working {
  readonly endpoint: ImportedEndpoint;
  readonly declared: Endpoint;
}

function withOwnPath(
  endpoint: ImportedEndpoint,
  other: ImportedEndpoint,
  report: LossReport,
): ImportedEndpoint {
  const path = `/${kebabCase(endpoint.name)}${endpoint.path}`;
  report.add({
    operation: endpoint.operation,
    pointer: endpoint.pointer,
    effect: `Its public path is ${path}: requests for it could be meant for ${other.operation}.`,
    severity: "loosened",
  });
  return {
    ...endpoint,
    path,
    call: { ...endpoint.call, path: endpoint.call.path ?? endpoint.path },
  };
}

function withoutReconciliation({
  idempotency,
  reconcile: _reconcile,
  ...endpoint
}: Endpoint): Endpoint {
  return idempotency === undefined || idempotency === "reconcile"
    ? endpoint
    : { ...endpoint, idempotency };
}

/** Returns the declaration that the endpoint's file will contain. */
export function declarationOf(
  endpoint: ImportedEndpoint,
  provider: string,
  schemaOf: SchemaOf,
): Endpoint {
  const { body, files, headers, kind, method, options, params, path, query } = endpoint;
  const { fileName, kind: _kind, name: _name, path: _path, select: _select, ...rest } = options;
  return {
    ...rest,
    provider,
    kind,
    method,
    path,
    ...(params === undefined ? {} : { params: schemaOf(params) }),
    ...(query === undefined ? {} : { query: schemaOf(query) }),
    ...(headers === undefined ? {} : { headers: schemaOf(headers) }),
    ...(body === undefined
      ? {}
      : { body: { required: body.required, media: mediaOf(body.media, schemaOf) } }),
    ...(files === undefined ? {} : { files, fileName: fileName ?? endpoint.name }),
    response: Object.fromEntries(
      endpoint.answers.map((answer) => [answer.status, answerOf(answer, schemaOf)]),
    ),
  };
}

function answerOf(
  { headers, media }: ImportedAnswer,
  schemaOf: SchemaOf,
): Endpoint["response"][number] {
  return {
    media: mediaOf(media, schemaOf),
    ...(headers === undefined ? {} : { headers: schemaOf(headers) }),
  };
}

function mediaOf(
  media: ImportedAnswer["media"],
  schemaOf: SchemaOf,
): Readonly<Record<string, ReturnType<SchemaOf>>> {
  return Object.fromEntries(
    media.map(({ definition, mediaType }) => [mediaType, schemaOf(definition)]),
  );
}
