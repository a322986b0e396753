import type { Method } from "@insurance-gateway/core/contract";
import {
  below,
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
  /** As the document has it. */
  readonly path: string;
  readonly pathItem: Located;
  readonly located: Located;
  readonly options: OperationOptions;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** A document with more operations is a mistake or an attack. */
const MOST_OPERATIONS = 5_000;

/**
 * The operations that the overlay selects, or every one that it does not leave out. Nothing is selected by itself:
 * what manages keys and users must never be offered to brokers.
 */
export function selectOperations(
  document: ImportDocument,
  report: LossReport,
  all: boolean,
): readonly SelectedOperation[] {
  const selected: SelectedOperation[] = [];
  for (const { located, method, path, pathItem } of operationsOf(document, report)) {
    const options = operationOptionsOf(located.value[EXTENSION], located.pointer);
    const isMarked = located.value[EXTENSION] !== undefined;
    if (options.select ?? (isMarked || all))
      selected.push({ method, path, pathItem, located, options });
  }
  return selected;
}

/** Every operation of the document with a method that an endpoint can have. */
export function operationsOf(
  document: ImportDocument,
  report: LossReport,
): readonly Omit<SelectedOperation, "options">[] {
  const found = membersOf(document.root.paths).flatMap(([path, item]) => {
    const pathItem = document.follow(item, below("/paths", path));
    for (const method of ["head", "options", "trace"])
      if (isObject(pathItem.value[method]))
        report.add({
          operation: `${method.toUpperCase()} ${path}`,
          pointer: below("/paths", path, method),
          effect: "It is left out: no endpoint has this method.",
          severity: "lost",
        });
    return METHODS.flatMap((method) => {
      const operation = pathItem.value[method.toLowerCase()];
      const pointer = below("/paths", path, method.toLowerCase());
      return isObject(operation)
        ? [{ method, path, pathItem, located: { value: operation, pointer } }]
        : [];
    });
  });
  if (found.length > MOST_OPERATIONS)
    throw new ImportFault(`The document has more than ${MOST_OPERATIONS} operations`);
  return found;
}
