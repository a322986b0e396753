import { once } from "node:events";
import { createServer } from "node:http";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { contentOf, startMcp } from "./harness/mcp-process.ts";

const MOST = 5 * 1024 * 1024;
const folder = makeGatewayFolder();
afterAll(() => folder.remove());

/** A gateway whose document has so many bytes. */
async function startDocuments(bytes: number, tellsLength: boolean): Promise<string> {
  const server = createServer((_, response) => {
    const length = tellsLength ? { "content-length": bytes } : {};
    response.writeHead(200, { "content-type": "application/pdf", ...length });
    response.end(Buffer.alloc(bytes, 1));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) throw new TypeError("The server has no port");
  return `http://127.0.0.1:${bound.port}`;
}

it.each([
  ["of 5 MB comes whole", MOST, true, undefined],
  ["larger than 5 MB is refused", MOST + 1, true, "DOCUMENT_TOO_LARGE"],
  ["larger than 5 MB is refused when nobody says so before", MOST + 1, false, "DOCUMENT_TOO_LARGE"],
])("a document %s", async (_, bytes, tellsLength, code) => {
  const gateway = await startDocuments(bytes, tellsLength);
  const parameters = ["--allow", "document"];
  const mcp = await startMcp({ folder: folder.path, token: "t", gateway, parameters });
  const query = { applicationId: "C-0001" };
  const result = await mcp.call("provider-c_downloadIpid", { query });
  expect(result.isError ?? false).toBe(code !== undefined);
  expect(contentOf(result).code).toBe(code);
  expect(result.content).toHaveLength(code === undefined ? 2 : 1);
});
