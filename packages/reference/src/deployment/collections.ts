import { pack, unpack } from "../collections/archive.ts";
import { stableId } from "../collections/collection-request.ts";
import { DEFAULT_ADDRESS, type PostmanFolder, postmanFile } from "../collections/postman.ts";
import type { ProviderOnPage } from "../site/source.ts";

/** The names of a provider's collections, as its build writes them and as they are served. */
export const collectionNames = { postman: "postman.json", bruno: "bruno.zip" } as const;

/** Gives a provider's Postman collection as it is deployed: with its real segment and the gateway's address. */
export function deployedPostman(
  { collections, id, segment }: ProviderOnPage,
  address: string,
): string | null {
  const file = collections[collectionNames.postman];
  if (file === undefined) return null;
  const text = deployed(new TextDecoder().decode(file), id, segment, address);
  const placed: unknown = JSON.parse(text, (key, value: unknown) =>
    key === "path" && Array.isArray(value) && value[0] === id
      ? [segment, ...value.slice(1)]
      : value,
  );
  return JSON.stringify(placed, null, 2);
}

/** Gives a provider's Bruno collection as it is deployed. */
export function deployedBruno(
  { collections, id, segment }: ProviderOnPage,
  address: string,
): Readonly<Record<string, string>> | null {
  const file = collections[collectionNames.bruno];
  if (file === undefined) return null;
  const files = Object.entries(unpack(file)).map(
    ([path, text]) => [path, deployed(text, id, segment, address)] as const,
  );
  return Object.fromEntries(files);
}

/** One Postman collection with a folder for each provider. */
export function postmanOfAll(providers: readonly ProviderOnPage[], address: string): string {
  const folders = providers.flatMap((provider): readonly PostmanFolder[] => {
    const text = deployedPostman(provider, address);
    // Written by our own build.
    return text === null
      ? []
      : [{ name: provider.name, item: (JSON.parse(text) as PostmanFolder).item }];
  });
  const file = postmanFile(
    "Insurance Gateway",
    stableId("collection of all"),
    "Every provider behind this gateway.",
    folders,
  );
  return JSON.stringify(file, null, 2).replaceAll(DEFAULT_ADDRESS, address);
}

/** One Bruno collection with a folder for each provider. */
export function brunoOfAll(providers: readonly ProviderOnPage[], address: string): Uint8Array {
  const all: Record<string, string> = {};
  for (const provider of providers) {
    const files = Object.entries(deployedBruno(provider, address) ?? {});
    for (const [path, text] of files) {
      if (path.startsWith("environments/")) all[path] = text;
      else if (path !== "bruno.json") all[`${folderOf(provider)}/${path}`] = text;
    }
  }
  const frame = { version: "1", name: "Insurance Gateway", type: "collection" };
  return pack({ "bruno.json": `${JSON.stringify(frame, null, 2)}\n`, ...all }, 0);
}

function deployed(text: string, id: string, segment: string, address: string): string {
  return text
    .replaceAll(`{{baseUrl}}/${id}/`, `{{baseUrl}}/${segment}/`)
    .replaceAll(DEFAULT_ADDRESS, address);
}

/** A folder's name that is one, and that no other provider has. */
function folderOf({ id, name, segment }: ProviderOnPage): string {
  const own = name.replaceAll(/[^\p{L}\p{N} ()&-]+/gu, " ").trim();
  return segment === id ? own : `${own} (${segment})`;
}
