import { pack } from "../collections/archive.ts";
import { brunoCollection } from "../collections/bruno.ts";
import { postmanCollection } from "../collections/postman.ts";
import { collectionNames } from "../deployment/collections.ts";
import type { OpenApiDocument } from "../document/open-api.ts";

/** Writes a provider's collections, by the names of their files. */
export function writeCollections(
  document: OpenApiDocument,
): Readonly<Record<string, string | Uint8Array>> {
  return {
    [collectionNames.postman]: `${JSON.stringify(postmanCollection(document), null, 2)}\n`,
    [collectionNames.bruno]: pack(brunoCollection(document)),
  };
}
