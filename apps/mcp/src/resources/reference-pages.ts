import { createTransport, TransportError } from "@insurance-gateway/core/transport";
import {
  ErrorCode,
  type ListResourcesResult,
  McpError,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/sdk/types.js";
import { listPage } from "../list-pages.ts";

/** The texts of the gateway's reference: `llms.txt` and every Markdown page to which it links. */
export interface ReferencePages {
  /** Lists the texts; an empty list if the gateway serves no reference. */
  list(cursor: string | undefined): Promise<ListResourcesResult>;
  /** @throws McpError if the reference does not contain the page */
  read(uri: string): Promise<ReadResourceResult>;
  close(): Promise<void>;
}

const PREFIX = "insurance-gateway://reference/";
const INDEX = "llms.txt";
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2_097_152;

/** Matches a link of `llms.txt` to a page: its name, its path below `/reference/`, and its text. */
const LINK = /^- \[([^\]]+)\]\(\S+?\/reference\/([\w./-]+\.md)\): (.+)$/gm;
/** Matches a path that stays below `/reference/`. */
const PATH = /^(?!.*\.\.)[\w-][\w./-]*\.(?:md|json|txt)$/;

/**
 * Reads the reference pages of a gateway. The pages are public, so requests for pages have no token.
 * @param gateway - the gateway's base address
 */
export function createReferencePages(gateway: string): ReferencePages {
  const transport = createTransport({ proxy: "environment" });

  async function textOf(path: string): Promise<string | null> {
    try {
      const { body, status } = await transport.send({
        method: "GET",
        url: `${gateway.replace(/\/+$/, "")}/reference/${path}`,
        headers: { accept: "*/*" },
        timeoutMs: TIMEOUT_MS,
      });
      if (status === 200) return await body.text(MAX_BYTES);
      body.discard();
      return null;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw new McpError(ErrorCode.InternalError, "The gateway's reference cannot be read now");
    }
  }

  return {
    async list(cursor) {
      const index = await textOf(INDEX);
      const linked = [...(index ?? "").matchAll(LINK)].map(([, name = "", path = "", text = ""]) =>
        resource(name, path, text),
      );
      const all = index === null ? [] : [resource(INDEX, INDEX, "Every page, by name"), ...linked];
      const { items, next } = listPage(all, cursor);
      return { resources: [...items], ...next };
    },
    async read(uri) {
      const path = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : "";
      const text = PATH.test(path) ? await textOf(path) : null;
      if (text === null)
        throw new McpError(
          ErrorCode.InvalidParams,
          "Unknown resource; resources/list returns every resource",
        );
      return { contents: [{ uri, mimeType: mediaTypeOf(path), text }] };
    },
    close: () => transport.close(),
  };
}

function resource(name: string, path: string, description: string): Resource {
  return { uri: PREFIX + path, name, description, mimeType: mediaTypeOf(path) };
}

function mediaTypeOf(path: string): string {
  if (path.endsWith(".md")) return "text/markdown";
  return path.endsWith(".json") ? "application/json" : "text/plain";
}
