import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import {
  defineProvider,
  type FilePart,
  type Provider,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { file, joined, loose, strict, text } from "@insurance-gateway/core/schema";
import { createSite, noDocumentation, packagedDocument } from "@insurance-gateway/reference";
import * as z from "zod/mini";

interface Report {
  readonly driver: { readonly name: string; readonly age: number } | null;
  readonly passengers: readonly { readonly name: string; readonly injured?: boolean }[];
  readonly use?: "PRIVATE" | "TAXI";
  readonly insurer?: { readonly name: string };
}
interface Evidence {
  readonly note: string;
  readonly photo: FilePart;
  readonly more?: readonly FilePart[];
}
interface Query {
  readonly codes: readonly string[];
  readonly years?: readonly number[];
  readonly period: { readonly from: string; readonly to?: string };
}
type ReportClaim = Submission<{
  params: { claimId: string };
  query: Query;
  headers: { "x-agent": string };
  body: Report | Evidence;
  response: unknown;
}>;

const reportClaim: ReportClaim = submission({
  provider: "provider-m",
  path: "/claims/{claimId}/reports",
  params: strict<{ claimId: string }>({ claimId: text() }),
  query: strict<Query>({
    codes: z.array(text()).check(z.minLength(1)),
    years: z.exactOptional(joined(z.array(z.int()).check(z.minLength(1)))),
    period: z.strictObject({ from: text(), to: z.exactOptional(text()) }),
  }),
  headers: strict<{ "x-agent": string }>({ "x-agent": text() }),
  body: {
    media: {
      "application/json": strict<Report>({
        driver: z.nullable(z.strictObject({ name: text(), age: z.int() })),
        passengers: z.array(
          z.strictObject({ name: text(), injured: z.exactOptional(z.boolean()) }),
        ),
        use: z.exactOptional(z.enum(["PRIVATE", "TAXI"])),
        insurer: z.exactOptional(z.strictObject({ name: text() })),
      }),
      "multipart/form-data": strict<Evidence>({
        note: text(),
        photo: file({ mediaTypes: ["image/png"] }),
        more: z.exactOptional(z.array(file())),
      }),
    },
  },
  response: { 200: loose<object>({}) },
});

const provider: Provider = defineProvider({
  id: "provider-m",
  name: "Provider M",
  lines: ["motor"],
  endpoints: { reportClaim },
});

const example = {
  summary: "A collision",
  request: {
    params: { claimId: "a/1" },
    query: { codes: ["x", "y"], years: [2025, 2026], period: { from: "2026-01" } },
    headers: { "x-agent": "7" },
    body: { driver: null, passengers: [{ name: "Ελένη" }] },
  },
};

/** A request that the local server received. */
export interface ReceivedRequest {
  readonly url: string;
  readonly agent: string | undefined;
  readonly mediaType: string;
  /** The body, decoded as UTF-8. */
  readonly body: string;
}

/**
 * A reference site with one endpoint. The endpoint's request has values of every kind: lists, objects, null and files.
 */
export interface FormSite {
  readonly page: string;
  /** Returns the endpoint's last request; undefined before the first request. */
  last(): ReceivedRequest | undefined;
  stop(): Promise<void>;
}

/** Starts the reference site on a local server. */
export async function startFormSite(): Promise<FormSite> {
  const document = packagedDocument({
    provider,
    package: { name: "provider-m", version: "1.0.0" },
    documentation: noDocumentation,
    examples: { reportClaim: { usual: example } },
  });
  const site = createSite({
    providers: [
      {
        id: "provider-m",
        segment: "provider-m",
        name: "Provider M",
        lines: ["motor"],
        document,
        changelog: null,
      },
    ],
    scenarios: [],
    address: "http://127.0.0.1",
    basePath: "",
    developmentToken: false,
    limits: [],
  });
  let last: ReceivedRequest | undefined;
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const page = site.get(request.url ?? "");
      if (page === undefined) last = await receive(request);
      response.setHeader("content-type", page?.mediaType ?? "application/json");
      response.end(page === undefined ? "{}" : await page.content());
    };
    void answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    page: `http://127.0.0.1:${port}/reference/providers/provider-m/reportClaim`,
    last: () => last,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const { headers, url = "" } = request;
  return {
    url,
    agent: headers["x-agent"]?.toString(),
    mediaType: headers["content-type"] ?? "",
    body: await textOf(request),
  };
}
