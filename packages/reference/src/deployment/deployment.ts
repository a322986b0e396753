import { server } from "../document/imprint.ts";
import type { OpenApiDocument, PathItem } from "../document/open-api.ts";
import { segmentPath } from "../document/provider-document.ts";

/** The path segment of a provider at a running gateway, and the gateway's address. */
export interface Deployment {
  /** The provider's real path segment. */
  readonly segment: string;
  /**
   * The gateway's base address with its path prefix, without a slash at the end: `https://gateway.example/insurers`.
   */
  readonly address: string;
}

/** Writes a provider's OpenAPI document with the provider's real path segment and the gateway's address. */
export function deployedDocument(
  document: OpenApiDocument,
  { address, segment }: Deployment,
): OpenApiDocument {
  const { id } = document.info["x-provider"];
  const paths = Object.entries(document.paths).map(
    ([path, item]) => [deployedPath(path, id, segment), item] as const,
  );
  return {
    ...document,
    servers: [server(address)],
    paths: Object.fromEntries<PathItem>(paths),
  };
}

/** Replaces the provider's id by its segment: `/provider-d/applications` → `/insurer/applications`. */
export function deployedPath(path: string, id: string, segment: string): string {
  return segmentPath(segment) + path.slice(segmentPath(id).length);
}
