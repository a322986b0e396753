import type { SelectedOperation } from "../operations/select.ts";
import type { LossReport } from "../report.ts";
import type { SoapDocument } from "./arrange.ts";

/**
 * Reports what is lost of an operation of a WSDL.
 * @throws ImportFault for one that cannot be imported at all
 */
export function reportSoapLosses(
  soap: SoapDocument | undefined,
  { method, path }: Pick<SelectedOperation, "method" | "path">,
  report: LossReport,
): void {
  const operation = soap?.operations.get(path);
  if (operation?.fault !== undefined) throw operation.fault;
  for (const loss of operation?.losses ?? [])
    report.add({ operation: `${method} ${path}`, ...loss });
}

/** Reports the operations that no overlay can select, because they are not over SOAP 1.1. */
export function reportLeftOut(soap: SoapDocument | undefined, report: LossReport): void {
  for (const loss of soap?.losses ?? []) report.add(loss);
}
