import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { Refusal } from "@insurance-gateway/core/runtime";
import {
  createSite,
  notFoundOf,
  type SitePage,
  type SiteSource,
  sitePaths,
} from "@insurance-gateway/reference";
import { compress, prefersGzip } from "../http/compression.ts";
import { hasCurrentAnswer } from "../http/entity-tags.ts";
import type { IncomingRequest, RequestHead } from "../http/exchange.ts";
import type { Answer } from "../http/send-answer.ts";
import type { AnswerDevelopmentToken } from "./development-token.ts";
import { prefersPage } from "./prefers-page.ts";

/** The page of the reference for a request. */
export interface FoundPage {
  /** The page's path without the configured prefix, for the log: one of a fixed set of values. */
  readonly template: string;
  answer(request: Pick<IncomingRequest, "head">): Promise<Answer>;
}

/** The public pages of the reference. */
export interface Pages {
  /**
   * Finds the page of a path below `/reference`, or the "not found" page.
   * @throws Refusal METHOD_NOT_ALLOWED
   */
  find(method: string, path: string): FoundPage;
}

/** Arguments of `createPages`. */
export interface PagesParts {
  /** Returns the content of the pages. Called for the first request, when the gateway's address is known. */
  readonly source: () => SiteSource;
  readonly basePath: string;
  /** The function that issues development tokens; null if the gateway issues no development tokens. */
  readonly developmentToken: AnswerDevelopmentToken | null;
}

/** Creates the pages of the reference. */
export function createPages({ basePath, developmentToken, source }: PagesParts): Pages {
  const paths = sitePaths(basePath);
  const represent = createRepresentations();
  let site: ReadonlyMap<string, SitePage> | undefined;
  const missing: FoundPage = {
    template: `${paths.front.slice(basePath.length)}/*`,
    async answer({ head }) {
      // Browsers receive a page with links; other clients receive a problem document.
      if (prefersPage(head)) {
        const notFound = notFoundOf(source());
        return answerOf(404, notFound, await represent("", notFound), head);
      }
      throw new Refusal("NOT_FOUND", {
        detail: `The reference has no such page; ${paths.front} lists its pages.`,
      });
    },
  };

  return {
    find(method, path) {
      const template = path.slice(basePath.length);
      if (path === paths.developmentToken && developmentToken !== null) {
        requireMethod(method, ["POST"]);
        return { template, answer: developmentToken };
      }
      site ??= createSite(source());
      const page = site.get(path);
      if (page === undefined) return missing;
      requireMethod(method, ["GET", "HEAD"]);
      return {
        template,
        answer: async ({ head }) => answerOf(200, page, await represent(path, page), head),
      };
    },
  };
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(", ");
  throw new Refusal("METHOD_NOT_ALLOWED", {
    detail: `Allowed methods of this page: ${allow}.`,
    headers: { allow },
  });
}

type PageRepresentation = Awaited<ReturnType<ReturnType<typeof createRepresentations>>>;

function answerOf(
  status: 200 | 404,
  { contentSecurityPolicy, mediaType }: SitePage,
  { content, etag, isCompressed }: PageRepresentation,
  head: RequestHead,
): Answer {
  const sendsGzip = isCompressed && prefersGzip(head.headers);
  // Compressed and plain bytes have the same validator, so this validator must be weak (RFC 9110, section 8.8.3.3).
  const validator = `W/${etag}`;
  const headers = {
    "cache-control": "public, no-cache",
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    etag: validator,
    "referrer-policy": "no-referrer",
    vary: status === 404 ? "accept, accept-encoding" : "accept-encoding",
  };
  if (status === 200 && hasCurrentAnswer(head.headers["if-none-match"], validator))
    return { status: 304, headers, content: null };
  return {
    status,
    headers: {
      ...headers,
      ...(sendsGzip ? { "content-encoding": "gzip" } : {}),
      "content-type": mediaType,
    },
    // Nearly every client accepts gzip, so only the compressed content is kept.
    content: isCompressed && !sendsGzip ? gunzipSync(content) : content,
  };
}

/** The bytes of a page, which are created for the page's first request and stay in memory. */
interface Representation {
  readonly content: Buffer;
  /** True if the content is compressed with gzip. */
  readonly isCompressed: boolean;
  /** The ETag of the uncompressed content, a strong validator (RFC 9110, section 8.8.3). */
  readonly etag: string;
}

/** Creates a function that returns the bytes of a page, and creates the bytes for the page's first request. */
export function createRepresentations(): (path: string, page: SitePage) => Promise<Representation> {
  const made = new Map<string, Promise<Representation>>();
  return (path, page) => {
    const known = made.get(path);
    if (known !== undefined) return known;
    const begun = represent(page);
    made.set(path, begun);
    // After an error, the next request creates the bytes again.
    begun.catch(() => made.delete(path));
    return begun;
  };
}

async function represent({ content, mediaType }: SitePage): Promise<Representation> {
  const plain = Buffer.from(await content());
  const isText = /^(text\/|application\/json|image\/svg)/.test(mediaType);
  const compressed = isText ? await compress(plain) : null;
  return {
    content: compressed ?? plain,
    isCompressed: compressed !== null,
    etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 27)}"`,
  };
}
