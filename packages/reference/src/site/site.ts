import { catalogueOf } from "../catalogue/catalogue.ts";
import { pack } from "../collections/archive.ts";
import { postmanEnvironment } from "../collections/postman.ts";
import {
  brunoCollectionOfProviders,
  collectionNames,
  deployedBruno,
  deployedPostman,
  postmanCollectionOfProviders,
} from "../deployment/collections.ts";
import { deployedDocument } from "../deployment/deployment.ts";
import { indexDocument } from "../deployment/index-document.ts";
import { codesByStatus, usesOfCodes } from "../errors/code-uses.ts";
import { endpointText } from "../markdown/endpoint-text.ts";
import { errorList, errorText } from "../markdown/error-text.ts";
import { llmsText } from "../markdown/llms-text.ts";
import { gatewayItself } from "../own/own-document.ts";
import { searchEntries } from "../search/search-entries.ts";
import { findAssets } from "./assets.ts";
import { cataloguePage } from "./catalogue-page.ts";
import { changelogPage } from "./changelog-page.ts";
import { collectionsPage } from "./collections-page.ts";
import { type Documented, operationsByKind } from "./endpoint/documented.ts";
import { endpointPage } from "./endpoint/endpoint-page.ts";
import { errorPage, errorsPage } from "./errors-pages.ts";
import { frontPage } from "./front-page.ts";
import { guidePage, guidesPage } from "./guides/guide-pages.ts";
import { readGuides, readGuideText } from "./guides/guides.ts";
import { layout, type PageContent } from "./layout.ts";
import { limitsPage } from "./limits-page.ts";
import { lostAnswerPage } from "./lost-answer/page.ts";
import { notFoundPage } from "./not-found-page.ts";
import { outcomesPage } from "./outcomes-page.ts";
import { type SitePaths, sitePaths } from "./paths.ts";
import { policies } from "./policies.ts";
import { emptyProviderPage, providerPage } from "./provider-page.ts";
import { sandboxPage } from "./sandbox-page.ts";
import type { ProviderOnPage, SiteSource } from "./source.ts";

/** A page or file of the reference. */
export interface SitePage {
  readonly mediaType: string;
  /** The page's content security policy. */
  readonly contentSecurityPolicy: string;
  /** Creates the page's content. The caller should cache content that is requested often. */
  readonly content: () => Content | Promise<Content>;
}

type Content = string | Uint8Array;

const JSON_TYPE = "application/json; charset=utf-8";
const ZIP_TYPE = "application/zip";
const MARKDOWN_TYPE = "text/markdown; charset=utf-8";
const HTML_TYPE = "text/html; charset=utf-8";

type Entry = readonly [path: string, page: SitePage];

const entry = (
  path: string,
  mediaType: string,
  content: SitePage["content"],
  contentSecurityPolicy: string = policies.none,
): Entry => [path, { mediaType, content, contentSecurityPolicy }];

const page = (
  path: string,
  paths: SitePaths,
  content: () => PageContent,
  contentSecurityPolicy: string = policies.page,
): Entry => entry(path, HTML_TYPE, () => layout(paths, content()), contentSecurityPolicy);

const json = (path: string, value: () => unknown, indentation?: number): Entry =>
  entry(path, JSON_TYPE, () => JSON.stringify(value(), null, indentation));

/**
 * Returns every page and file of the reference by path, from the root of the host. Content is created only on request.
 */
export function createSite(source: SiteSource): ReadonlyMap<string, SitePage> {
  const paths = pathsOf(source);
  const own = (path: string, content: () => PageContent): Entry => page(path, paths, content);
  const gateway = gatewayItself(source.providers, paths);
  const described = [gateway, ...source.providers];
  // The gateway's own requests are last, because only a submission makes it possible to query a submission's state.
  const inRunOrder = [...source.providers, gateway];
  const origin = source.address.slice(0, source.address.length - source.basePath.length);
  const documentOf = (segment: string): string =>
    origin + paths.providerFile(segment, "openapi.json");
  const guides = readGuides();
  const uses = usesOfCodes(described, source.scenarios);
  const site: ReadonlyMap<string, SitePage> = new Map([
    own(paths.front, () => frontPage(paths, source, guides)),
    own(`${paths.front}/`, () => frontPage(paths, source, guides)),
    own(paths.greekFront, () => frontPage(paths, source, guides, "el")),
    own(paths.guides, () => guidesPage(paths, guides)),
    ...guides.flatMap((guide) => [
      own(paths.guide(guide.name), () => guidePage(paths, guide)),
      entry(`${paths.guide(guide.name)}.md`, MARKDOWN_TYPE, () => readGuideText(guide)),
    ]),
    own(paths.errors, () => errorsPage(paths)),
    json(paths.file("errors.json"), () => errorList(paths, origin), 2),
    ...codesByStatus.flatMap((code) => [
      own(paths.error(code), () => errorPage(paths, code, uses(code), origin)),
      entry(`${paths.error(code)}.md`, MARKDOWN_TYPE, () =>
        errorText(paths, code, uses(code), origin),
      ),
    ]),
    own(paths.catalogue, () => cataloguePage(paths, catalogueOf(source.providers))),
    json(paths.file("catalogue.json"), () => catalogueOf(source.providers)),
    own(paths.outcomes, () => outcomesPage(paths)),
    own(paths.lostAnswer, () => lostAnswerPage(paths, source)),
    own(paths.sandbox, () => sandboxPage(paths, source)),
    own(paths.limits, () => limitsPage(paths, source)),
    own(paths.collections, () => collectionsPage(paths, inRunOrder)),
    json(paths.file("search.json"), () =>
      searchEntries(paths, described, source.scenarios, guides),
    ),
    entry(paths.file("llms.txt"), "text/plain; charset=utf-8", () =>
      llmsText({ ...source, paths, described, guides, isServed: (path) => site.has(path) }),
    ),
    json(paths.file("openapi.json"), () => indexDocument(described, source.address, documentOf)),
    entry(paths.file(collectionNames.postman), JSON_TYPE, () =>
      postmanCollectionOfProviders(inRunOrder, source),
    ),
    json(paths.file("postman-environment.json"), () => postmanEnvironment(source.address), 2),
    entry(paths.file(collectionNames.bruno), ZIP_TYPE, () =>
      brunoCollectionOfProviders(inRunOrder, source),
    ),
    ...described.flatMap((provider) => providerEntries(provider, source)),
    ...assetEntries(source.basePath),
  ]);
  return site;
}

/** Returns the page for an unknown address in a browser. */
export function notFoundOf(source: SiteSource): SitePage {
  const paths = pathsOf(source);
  const [, shown] = page("", paths, () => notFoundPage(paths));
  return shown;
}

function pathsOf({ basePath, scenarios }: SiteSource): SitePaths {
  return sitePaths(basePath, scenarios.length > 0);
}

function providerEntries(provider: ProviderOnPage, source: SiteSource): readonly Entry[] {
  const paths = pathsOf(source);
  const { document, name, segment } = provider;
  if (document === null)
    return [page(paths.provider(segment), paths, () => emptyProviderPage(paths, provider))];
  const described = { ...provider, document };
  const deployment = { segment, address: source.address };
  const deployed = deployedDocument(document, deployment);
  const file = (name: string): string => paths.providerFile(segment, name);
  const documented: Documented = {
    name,
    document: deployed,
    deployment,
    operations: operationsByKind(deployed),
    scenarios: source.scenarios.filter((scenario) => scenario.provider === provider.id),
    places: {
      home: paths.provider(segment),
      endpoint: (operationId) => paths.endpoint(segment, operationId),
      openApi: file("openapi.json"),
      collections: `${paths.collections}#${segment || "gateway"}`,
      changelog: segment === "" ? null : paths.changelog(segment),
    },
  };
  return [
    page(paths.provider(segment), paths, () => providerPage(paths, provider, documented)),
    ...(segment === ""
      ? []
      : [page(paths.changelog(segment), paths, () => changelogPage(paths, provider))]),
    json(file("openapi.json"), () => deployed, 2),
    ...documentedEntries(paths, documented, source),
    entry(file(collectionNames.postman), JSON_TYPE, () => deployedPostman(described, source)),
    entry(file(collectionNames.bruno), ZIP_TYPE, async () =>
      pack(await deployedBruno(described, source)),
    ),
  ];
}

/** Returns the page and the Markdown of each endpoint of a document. */
function documentedEntries(
  paths: SitePaths,
  documented: Documented,
  source: SiteSource,
): readonly Entry[] {
  const { operations, places } = documented;
  return operations.flatMap((placed) => {
    const address = places.endpoint(placed.operation.operationId);
    return [
      page(address, paths, () => endpointPage(paths, documented, placed, source)),
      entry(`${address}.md`, MARKDOWN_TYPE, () => endpointText(paths, documented, placed)),
    ];
  });
}

function assetEntries(basePath: string): readonly Entry[] {
  const paths = sitePaths(basePath);
  return [...findAssets()].map(([name, { mediaType, read }]) => [
    paths.asset(name),
    {
      mediaType,
      content: read,
      contentSecurityPolicy: policies.none,
    },
  ]);
}
