import { rowFaults } from "@insurance-gateway/core/runtime";
import { workingEndpoints } from "./declarations.ts";
import { readDocument } from "./document/read-document.ts";
import { textOf } from "./document/references.ts";
import { reportContradictions } from "./examples/contradictions.ts";
import { exampleOf, type ImportedExample, type MissingValue } from "./examples/example-of.ts";
import { type Sampler, sampler } from "./examples/sample.ts";
import { assignNames, endpointNames, type Names, usedDefinitions } from "./names/assign-names.ts";
import { checkEnvelope } from "./operations/envelope.ts";
import type { ImportedEndpoint } from "./operations/model.ts";
import type { DocumentOptions } from "./operations/options.ts";
import { documentOptionsOf, EXTENSION } from "./operations/options.ts";
import { readOperation } from "./operations/read-operation.ts";
import { type ReadSecurity, readSecurity } from "./operations/security.ts";
import { type SelectedOperation, selectOperations } from "./operations/select.ts";
import { ImportFault, type Loss, type LossReport, lossReport } from "./report.ts";
import { schemaReader } from "./schemas/read-schema.ts";
import { createSchemaOf } from "./schemas/zod-of.ts";
import {
  reportLeftOut,
  reportSoapLosses,
  type SoapDocument,
  withUsernameToken,
} from "./wsdl/arrange.ts";

/** The input of an import. */
export interface ImportRequest {
  /** The provider's id, which is also the folder of its package: `provider-f`. */
  readonly provider: string;
  /** The path of the insurer's document. */
  readonly from: string;
  readonly overlay?: string;
  /** True to import every operation that the overlay does not exclude. */
  readonly all: boolean;
}

/** The result of an import: the endpoints and settings of the document as a package declares them. */
export interface ImportedProvider {
  readonly title: string;
  readonly version: string;
  readonly options: DocumentOptions;
  /** The credentials and settings with which the gateway authenticates to the insurer. */
  readonly security: Pick<ReadSecurity, "accepted" | "certificate" | "settings">;
  readonly endpoints: readonly ImportedEndpoint[];
  readonly names: Names;
  /** The example of each endpoint, by endpoint name. */
  readonly examples: ReadonlyMap<string, ImportedExample>;
  readonly losses: readonly Loss[];
  /** The XML structure of the messages, if the document is a WSDL. */
  readonly soap?: SoapDocument;
  /** The number of selected operations. */
  readonly operations: { readonly selected: number };
}

/**
 * Converts an insurer's document to the declarations of a provider. Writes nothing.
 * @throws ImportFault for an unreadable document or overlay
 */
export function importProvider({ all, from, overlay, provider }: ImportRequest): ImportedProvider {
  const { document, soap, title, version } = readDocument(from, overlay);
  const report = lossReport();
  const options = documentOptionsOf(document.root[EXTENSION]);
  const reader = schemaReader(document, report);
  const selected = selectOperations(document, report, all);
  if (all) reportLeftOut(soap, report);
  const names = endpointNames(
    selected.map(({ located, method, options: own, path }) => ({
      method,
      path,
      operationId: textOf(located.value.operationId),
      chosen: own.name,
    })),
  );
  const { settings: chosen = [] } = options;
  const security = readSecurity(document, selected, chosen, report);
  const read = selected.flatMap((operation, index) =>
    readOrReport(report, operation, () => {
      reportSoapLosses(soap, operation, report);
      return readOperation(reader, operation, names[index] ?? "", chosen, security.of(operation));
    }),
  );
  const schemaOf = createSchemaOf();
  const working = workingEndpoints(read, provider, schemaOf, report);
  const { envelope, failures = [] } = options;
  const kinds = Object.fromEntries(working.map(({ kind, name }) => [name, { kind }]));
  const [fault] = rowFaults({ endpoints: kinds }, failures);
  if (fault !== undefined) throw new ImportFault(`${EXTENSION}: ${fault}`);
  if (envelope !== undefined) checkEnvelope(envelope, working, schemaOf);
  const values = sampler(schemaOf);
  const examples = new Map<string, ImportedExample>();
  for (const endpoint of working) {
    reportContradictions(endpoint, schemaOf, envelope, report);
    const example = exampleOf(endpoint, schemaOf, values, envelope);
    if ("request" in example) examples.set(endpoint.name, example);
    else report.add(withoutValue(endpoint, example, values));
  }
  const endpoints = working.filter(({ name }) => examples.has(name));
  return {
    title,
    version,
    options,
    security: soap === undefined ? security : withUsernameToken(soap, security),
    endpoints,
    names: assignNames(
      usedDefinitions(endpoints),
      endpoints.map(({ name }) => name),
    ),
    examples,
    ...(soap === undefined ? {} : { soap }),
    losses: report.all(),
    operations: { selected: selected.length },
  };
}

/** Returns the loss for an operation that is left out because a part of it has no valid value. */
function withoutValue(
  { operation, pointer }: ImportedEndpoint,
  { definition, part }: MissingValue,
  { circleIn }: Sampler,
): Loss {
  const circle = circleIn(definition);
  const [first] = circle;
  if (first === undefined)
    return {
      operation,
      pointer,
      effect: `The operation is left out: no value was found that is valid for its \`${part}\`; give an example in the overlay.`,
      severity: "lost",
    };
  const steps = [...circle, first].map(({ title }) => title).join(", which needs ");
  return {
    operation,
    pointer: first.home.id,
    effect: `The operation is left out: its \`${part}\` needs ${steps}, without end. Make one of these fields optional or nullable in the overlay.`,
    severity: "lost",
  };
}

/** Reads a part of an operation. If the operation cannot be declared, reports the loss, so the import can continue. */
function readOrReport<Result>(
  report: LossReport,
  { located, method, path }: SelectedOperation,
  read: () => Result,
): readonly Result[] {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    const { message, pointer } = error;
    const place = pointer === "" ? located.pointer : pointer;
    const effect = `The operation is left out: ${place} ${message}.`;
    report.add({ operation: `${method} ${path}`, pointer: place, effect, severity: "lost" });
    return [];
  }
}
