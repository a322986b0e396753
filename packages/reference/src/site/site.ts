import { catalogueOf } from "../catalogue/catalogue.ts";
import { pack } from "../collections/archive.ts";
import { postmanEnvironment } from "../collections/postman.ts";
import {
  brunoOfAll,
  collectionNames,
  deployedBruno,
  deployedPostman,
  postmanOfAll,
} from "../deployment/collections.ts";
import { deployedDocument } from "../deployment/deployment.ts";
import { indexDocument } from "../deployment/index-document.ts";
import { pageDocument } from "../deployment/page-document.ts";
import { operationsOf } from "../document/provider-document.ts";
import { endpointText } from "../markdown/endpoint-text.ts";
import { llmsText } from "../markdown/llms-text.ts";
import { searchEntries } from "../search/search-entries.ts";
import { findAssets } from "./assets.ts";
import { cataloguePage } from "./catalogue-page.ts";
import { changelogPage } from "./changelog-page.ts";
import { collectionsPage } from "./collections-page.ts";
import { codes, errorPage, errorsPage } from "./errors-pages.ts";
import { frontPage } from "./front-page.ts";
import { layout, type PageContent } from "./layout.ts";
import { limitsPage } from "./limits-page.ts";
import { notFoundPage } from "./not-found-page.ts";
import { outcomesPage } from "./outcomes-page.ts";
import { sitePaths } from "./paths.ts";
import { policies } from "./policies.ts";
import { emptyProviderPage, providerPage } from "./provider-page.ts";
import { sandboxPage } from "./sandbox-page.ts";
import type { ProviderOnPage, SiteSource } from "./source.ts";

/** Something that the reference serves. */
export interface SitePage {
  readonly mediaType: string;
  /** What a browser may do with it. */
  readonly contentSecurityPolicy: string;
  /** Whether it may be kept without asking again: its address changes with its content. */
  readonly immutable: boolean;
  /** Makes the content; what is asked for often is worth keeping. */
  readonly content: () => Content | Promise<Content>;
}

type Content = string | Uint8Array;

const JSON_TYPE = "application/json; charset=utf-8";
const ZIP_TYPE = "application/zip";
const HTML_TYPE = "text/html; charset=utf-8";

type Entry = readonly [path: string, page: SitePage];

const entry = (
  path: string,
  mediaType: string,
  content: SitePage["content"],
  contentSecurityPolicy: string = policies.none,
): Entry => [path, { mediaType, content, contentSecurityPolicy, immutable: false }];

/** Makes every page and file of the reference, by its path from the root of the host. Nothing is written before it is asked for. */
export function createSite(source: SiteSource): ReadonlyMap<string, SitePage> {
  const paths = sitePaths(source.basePath);
  const page = (path: string, content: () => PageContent): Entry =>
    entry(path, HTML_TYPE, () => layout(paths, content()), policies.page);
  return new Map([
    page(paths.front, () => frontPage(paths, source)),
    page(`${paths.front}/`, () => frontPage(paths, source)),
    page(paths.errors, () => errorsPage(paths)),
    ...codes.map((code) => page(paths.error(code), () => errorPage(paths, code))),
    page(paths.catalogue, () => cataloguePage(paths, catalogueOf(source.providers))),
    entry(paths.file("catalogue.json"), JSON_TYPE, () =>
      JSON.stringify(catalogueOf(source.providers)),
    ),
    page(paths.outcomes, () => outcomesPage(paths)),
    page(paths.sandbox, () => sandboxPage(paths, source)),
    page(paths.limits, () => limitsPage(paths, source)),
    page(paths.collections, () => collectionsPage(paths, source)),
    entry(paths.file("search.json"), JSON_TYPE, () =>
      JSON.stringify(searchEntries(source.providers)),
    ),
    entry(paths.file("llms.txt"), "text/plain; charset=utf-8", () => llmsText(paths, source)),
    entry(paths.file("openapi.json"), JSON_TYPE, () =>
      JSON.stringify(
        indexDocument(
          source.providers,
          source.address,
          (segment) =>
            source.address.slice(0, source.address.length - source.basePath.length) +
            paths.providerFile(segment, "openapi.json"),
        ),
      ),
    ),
    entry(paths.file(collectionNames.postman), JSON_TYPE, () =>
      postmanOfAll(source.providers, source.address),
    ),
    entry(paths.file("postman-environment.json"), JSON_TYPE, () =>
      JSON.stringify(postmanEnvironment(source.address), null, 2),
    ),
    entry(paths.file(collectionNames.bruno), ZIP_TYPE, () =>
      brunoOfAll(source.providers, source.address),
    ),
    ...source.providers.flatMap((provider) => providerEntries(provider, source)),
    ...assetEntries(source.basePath),
  ]);
}

/** What a browser is shown in place of a page that there is not. */
export function notFoundOf(basePath: string): SitePage {
  const paths = sitePaths(basePath);
  const content = (): string => layout(paths, notFoundPage(paths));
  const [, page] = entry("", HTML_TYPE, content, policies.page);
  return page;
}

function providerEntries(provider: ProviderOnPage, source: SiteSource): readonly Entry[] {
  const paths = sitePaths(source.basePath);
  const { document, segment } = provider;
  if (document === null) {
    const content = (): string => layout(paths, emptyProviderPage(paths, provider));
    return [entry(paths.provider(segment), HTML_TYPE, content, policies.page)];
  }
  const described = { ...provider, document };
  const deployment = { segment, address: source.address };
  const deployed = deployedDocument(document, deployment);
  const file = (name: string): string => paths.providerFile(segment, name);
  return [
    entry(
      paths.provider(segment),
      HTML_TYPE,
      () => providerPage(paths, provider, source.developmentToken),
      policies.scalar,
    ),
    entry(
      file("changelog"),
      HTML_TYPE,
      () => layout(paths, changelogPage(paths, provider)),
      policies.page,
    ),
    entry(file("openapi.json"), JSON_TYPE, () => JSON.stringify(deployed, null, 2)),
    entry(file("page.json"), JSON_TYPE, () =>
      JSON.stringify(pageDocument(document, deployment, source.basePath || "/")),
    ),
    ...operationsOf(deployed).map((placed) =>
      entry(file(`${placed.operation.operationId}.md`), "text/markdown; charset=utf-8", () =>
        endpointText(placed, deployed, deployment),
      ),
    ),
    entry(file(collectionNames.postman), JSON_TYPE, () =>
      deployedPostman(described, source.address),
    ),
    entry(file(collectionNames.bruno), ZIP_TYPE, async () =>
      pack(await deployedBruno(described, source.address)),
    ),
  ];
}

function assetEntries(basePath: string): readonly Entry[] {
  const paths = sitePaths(basePath);
  return [...findAssets()].map(([name, { mediaType, read }]) => [
    paths.asset(name),
    {
      mediaType,
      content: read,
      contentSecurityPolicy: policies.none,
      // Scalar's parts have a digest in their names.
      immutable: name.startsWith("scalar/chunks/"),
    },
  ]);
}
