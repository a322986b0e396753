import type { Method } from "@insurance-gateway/core/runtime";
import {
  appendToPointer,
  type ImportDocument,
  isObject,
  type Located,
  membersOf,
} from "../document/references.ts";
import { ImportFault, type LossReport } from "../report.ts";
import { EXTENSION, type OperationOptions, operationOptionsOf } from "./options.ts";

/** An operation that is imported. */
export interface SelectedOperation {
  readonly method: Method;
  /** The path in the document. */
  readonly path: string;
  readonly pathItem: Located;
  readonly located: Located;
  readonly options: OperationOptions;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Maximum number of operations in a document; more operations are a mistake or an attack. */
const MAX_OPERATIONS = 5_000;

/**
 * Returns the operations that the overlay selects; with `all`, every operation that the overlay does not exclude. No
 * operation is selected by default, because brokers must never reach operations that manage keys and users.
 */
export function selectOperations(
  document: ImportDocument,
  report: LossReport,
  all: boolean,
): readonly SelectedOperation[] {
  reportOtherMethods(document, report, all);
  return operationsOf(document).flatMap((operation) => {
    const { pointer, value } = operation.located;
    const options = operationOptionsOf(value[EXTENSION], pointer);
    const isSelected = options.select ?? (value[EXTENSION] !== undefined || all);
    return isSelected ? [{ ...operation, options }] : [];
  });
}

/** Reports selected operations whose method no endpoint can have. */
function reportOtherMethods(document: ImportDocument, report: LossReport, all: boolean): void {
  for (const [path, item] of membersOf(document.root.paths)) {
    const pathItem = document.follow(item, appendToPointer("/paths", path));
    for (const method of ["head", "options", "trace"]) {
      const operation = pathItem.value[method];
      if (!isObject(operation) || !(all || operation[EXTENSION] !== undefined)) continue;
      report.add({
        operation: `${method.toUpperCase()} ${path}`,
        pointer: appendToPointer("/paths", path, method),
        effect: "The operation is left out: no endpoint has this HTTP method.",
        severity: "lost",
      });
    }
  }
}

/** Returns every operation of the document with a method that an endpoint can have. */
export function operationsOf(
  document: ImportDocument,
): readonly Omit<SelectedOperation, "options">[] {
  const found = membersOf(document.root.paths).flatMap(([path, item]) => {
    const pathItem = document.follow(item, appendToPointer("/paths", path));
    return METHODS.flatMap((method) => {
      const operation = pathItem.value[method.toLowerCase()];
      const pointer = appendToPointer("/paths", path, method.toLowerCase());
      return isObject(operation)
        ? [{ method, path, pathItem, located: { value: operation, pointer } }]
        : [];
    });
  });
  if (found.length > MAX_OPERATIONS)
    throw new ImportFault(`The document has more than ${MAX_OPERATIONS} operations`);
  return found;
}
