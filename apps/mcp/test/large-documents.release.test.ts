import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, expect, it } from "vitest";
import { contentOf, startMcp } from "./harness/mcp-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;
const folder = makeGatewayFolder();
afterAll(() => folder.remove());

/** Starts a gateway that answers with a document of this size. */
function startDocuments(bytes: number, sendsLength: boolean): Promise<string> {
  return startSimulatedGateway((_, response) => {
    const length = sendsLength ? { "content-length": bytes } : {};
    response.writeHead(200, { "content-type": "application/pdf", ...length });
    const document = Buffer.alloc(bytes, 1);
    document.write("%PDF-1.7\n");
    document.write("%%EOF\n", bytes - 6);
    response.end(document);
  });
}

it.each([
  ["5 MB, accepted", MAX_DOCUMENT_BYTES, true, undefined],
  ["more than 5 MB, refused", MAX_DOCUMENT_BYTES + 1, true, "DOCUMENT_TOO_LARGE"],
  [
    "more than 5 MB without Content-Length, refused",
    MAX_DOCUMENT_BYTES + 1,
    false,
    "DOCUMENT_TOO_LARGE",
  ],
])(
  "a tool for a document accepts a document of at most 5 MB from the gateway: %s",
  async (_, bytes, sendsLength, code) => {
    const gateway = await startDocuments(bytes, sendsLength);
    const parameters = ["--allow", "document"];
    const mcp = await startMcp({ folder: folder.path, token: "t", gateway, parameters });
    const query = { applicationId: "C-0001" };
    const result = await mcp.call("provider-c_downloadIpid", { query });
    expect(result.isError ?? false).toBe(code !== undefined);
    expect(contentOf(result).code).toBe(code);
    if (code !== undefined)
      expect(contentOf(result)).toMatchObject({ outcome: "rejected", retry: "never" });
    expect(result.content).toHaveLength(code === undefined ? 2 : 1);
  },
);
