import type { OpenApiDocument } from "@insurance-gateway/reference";

/** Copies the operations of a document under new paths and names until the document has `count` operations. */
export function largeDocument(document: OpenApiDocument, count: number): OpenApiDocument {
  const items = Object.entries(document.paths);
  const paths = Array.from({ length: count }, (_, index) => {
    const [path, item] = items[index % items.length] ?? ["", {}];
    const renamed = Object.entries(item).map(([method, operation]) => [
      method,
      { ...operation, operationId: `${operation.operationId}${index}` },
    ]);
    return [`${path}/part-${index}`, Object.fromEntries(renamed)] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
