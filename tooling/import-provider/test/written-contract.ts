import type { ProviderDocument } from "@insurance-gateway/reference";
import { onTestFinished } from "vitest";
import { loadWritten } from "../src/load-written.ts";
import { importedPackages } from "./imported-packages.ts";

/** Imports a document with one path and returns the contract that the package's build writes. */
export async function contractOf(
  item: object,
  schemas: Readonly<Record<string, unknown>> = {},
): Promise<ProviderDocument> {
  const from = {
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: { "/a": { ...item } },
    components: { schemas },
  };
  const { packages, remove } = importedPackages([{ from, all: true }]);
  onTestFinished(remove);
  return loadWritten(packages[0]?.folder ?? "");
}
