import { pack } from "../collections/archive.ts";
import { brunoCollection, brunoFolder, type CollectionFiles } from "../collections/bruno.ts";
import { stableId } from "../collections/collection-request.ts";
import { postmanCollection, postmanContent } from "../collections/postman.ts";
import type { DescribedProvider, ProviderOnPage, SiteSource } from "../site/source.ts";
import { deployedDocument } from "./deployment.ts";

/** The file names of a provider's collections. */
export const collectionNames = { postman: "postman.json", bruno: "bruno.zip" } as const;

/** Returns the providers that have a document. */
function describedProviders(providers: readonly ProviderOnPage[]): readonly DescribedProvider[] {
  return providers.filter((provider): provider is DescribedProvider => provider.document !== null);
}

/** The inputs of collections in addition to documents: the gateway's base address and the scenarios. */
type CollectionsSource = Pick<SiteSource, "address" | "scenarios">;

/** Writes a provider's Postman collection. */
export function deployedPostman(
  { document, segment }: DescribedProvider,
  { address, scenarios }: CollectionsSource,
): string {
  const deployed = deployedDocument(document, { segment, address });
  return JSON.stringify(postmanCollection(postmanContent(deployed, scenarios), address), null, 2);
}

/** Writes a provider's Bruno collection, which is a folder of files. */
export function deployedBruno(
  { document, segment }: DescribedProvider,
  { address, scenarios }: CollectionsSource,
): Promise<CollectionFiles> {
  return brunoCollection(deployedDocument(document, { segment, address }), address, scenarios);
}

/** Writes one Postman collection with a folder for each provider. */
export function postmanCollectionOfProviders(
  providers: readonly ProviderOnPage[],
  { address, scenarios }: CollectionsSource,
): string {
  const folders = describedProviders(providers).map(({ document, name, segment }) => ({
    name,
    item: postmanContent(deployedDocument(document, { segment, address }), scenarios).item,
  }));
  const content = {
    name: "Insurance Gateway",
    id: stableId("collection of all"),
    description: "The gateway itself and every provider behind it.",
    item: folders,
  };
  return JSON.stringify(postmanCollection(content, address), null, 2);
}

/** Writes one Bruno collection with a folder for each provider, as a ZIP file. */
export async function brunoCollectionOfProviders(
  providers: readonly ProviderOnPage[],
  source: CollectionsSource,
): Promise<Uint8Array> {
  const all: Record<string, string> = {};
  for (const [index, provider] of describedProviders(providers).entries()) {
    all[`${folderOf(provider)}/folder.bru`] = brunoFolder(provider.name, index + 1);
    const files = Object.entries(await deployedBruno(provider, source));
    for (const [path, text] of files) {
      if (path.startsWith("environments/")) all[path] = text;
      else if (path !== "bruno.json") all[`${folderOf(provider)}/${path}`] = text;
    }
  }
  const frame = { version: "1", name: "Insurance Gateway", type: "collection" };
  return pack({ "bruno.json": `${JSON.stringify(frame, null, 2)}\n`, ...all }, 0);
}

/** Returns a valid folder name that differs from those of other providers. */
function folderOf({ id, name, segment }: ProviderOnPage): string {
  const own = name.replaceAll(/[^\p{L}\p{N} ()&-]+/gu, " ").trim();
  return segment === id ? own : `${own} (${segment})`;
}
