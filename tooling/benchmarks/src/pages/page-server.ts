import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { providerD } from "@insurance-gateway/provider-d";
import {
  completeDocument,
  createSite,
  type OpenApiDocument,
  type ProviderOnPage,
  problemsOf,
} from "@insurance-gateway/reference";
import { largeDocument } from "./large-document.ts";

/** The number of endpoints in the largest planned installation. */
export const MANY_ENDPOINTS = 1_484;

/** This project's pages and Redoc's pages of the same documents, compressed, over HTTP. */
export interface PageServer {
  readonly origin: string;
  stop(): Promise<void>;
}

interface Served {
  readonly mediaType: string;
  readonly policy: string;
  readonly compressed: Buffer;
}

/**
 * Serves the reference of two providers, `small` and `large`, and the same documents with Redoc at `/redoc/small` and
 * `/redoc/large`.
 */
export async function startPageServer(): Promise<PageServer> {
  const written = new URL("../../../../packages/provider-d/openapi.json", import.meta.url);
  const small: OpenApiDocument = completeDocument(
    JSON.parse(readFileSync(written, "utf8")),
    problemsOf(providerD, { failuresOf: () => [], translates: true }),
  );
  const documents = { small, large: largeDocument(small, MANY_ENDPOINTS) };
  const kept = new Map<string, Served>();
  const keep = (path: string, mediaType: string, policy: string, content: Content): Served => {
    const served = { mediaType, policy, compressed: gzipSync(content) };
    kept.set(path, served);
    return served;
  };
  const server = createServer((request, response) => {
    void find(request.url ?? "").then((served) => {
      response.writeHead(served === null ? 404 : 200, {
        ...(served === null ? {} : { "content-type": served.mediaType }),
        ...(served?.policy ? { "content-security-policy": served.policy } : {}),
        "content-encoding": "gzip",
      });
      response.end(served?.compressed ?? gzipSync(""));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port");
  const origin = `http://127.0.0.1:${address.port}`;
  const site = createSite({
    providers: Object.entries(documents).map(([segment, document]) =>
      providerOf(segment, document),
    ),
    scenarios: [],
    address: origin,
    basePath: "",
    developmentToken: true,
    limits: [],
  });
  for (const segment of Object.keys(documents))
    keep(`/redoc/${segment}`, "text/html; charset=utf-8", "", redocPage(segment));
  const bundle = createRequire(import.meta.url).resolve("redoc/bundles/redoc.standalone.js");
  keep("/redoc/redoc.js", "text/javascript; charset=utf-8", "", readFileSync(bundle));

  async function find(path: string): Promise<Served | null> {
    const known = kept.get(path);
    if (known !== undefined) return known;
    const page = site.get(path);
    if (page === undefined) return null;
    return keep(path, page.mediaType, page.contentSecurityPolicy, await page.content());
  }
  return {
    origin,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

type Content = string | Uint8Array;

function providerOf(segment: string, document: OpenApiDocument): ProviderOnPage {
  const { id, lines } = document.info["x-provider"];
  return { id, segment, name: `Provider ${segment}`, lines, document, changelog: null };
}

function redocPage(segment: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Redoc</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><redoc spec-url="/reference/providers/${segment}/openapi.json" disable-telemetry="true"></redoc>
<script type="module" src="/redoc/redoc.js"></script></body></html>`;
}
