import { describe, expect, it } from "vitest";
// @boundaries-ignore the seven requests are one fixture for every test level of the repository
import { specificationRequests } from "../../../../tooling/specification/src/index.ts";
import type { Download } from "../../src/index.ts";
import { connect } from "../harness/connect.ts";
import { json, raw } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";
import { specificationEndpoints } from "./specification-calls.ts";

describe("the specification's requests", () => {
  it.each(specificationRequests().map((request) => [request.number, request] as const))(
    "the client sends request %i of the interface specification unchanged, and adds only User-Agent and a submission's headers",
    async (_, { endpoint: name, provider, method, path, query, body, status, mediaType }) => {
      const page = { items: [], start: 1, limit: 20, total: 0 };
      const server = await scriptedServer(
        mediaType === "application/json" ? json(page, status) : raw("%PDF-1.7", mediaType),
      );
      const endpoint = specificationEndpoints[name];
      if (endpoint === undefined) throw new TypeError(`${name} is not declared`);

      const answer = await connect(server.address, { token: "a.b.c" }).call(endpoint, {
        query,
        body,
      });
      // A document endpoint returns a download. The types here do not contain the endpoint's kind.
      if (endpoint.kind === "document") await (answer as Download).bytes();

      const search = new URLSearchParams(Object.entries(query ?? {}).map(asText)).toString();
      expect(server.arrivals).toEqual([
        {
          method,
          target: `/${provider}${path}${search === "" ? "" : `?${search}`}`,
          headers: {
            // Every HTTP/1.1 request has these headers.
            host: new URL(server.address).host,
            connection: "keep-alive",
            ...(body === undefined
              ? {}
              : { "content-length": String(Buffer.byteLength(JSON.stringify(body))) }),
            authorization: "Bearer a.b.c",
            accept: mediaType,
            "user-agent": expect.stringContaining("insurance-gateway-core/"),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(endpoint.kind === "submission"
              ? { "idempotency-key": expect.any(String), prefer: "wait=45" }
              : {}),
          },
          body: body === undefined ? "" : JSON.stringify(body),
        },
      ]);
    },
  );
});

function asText([name, value]: readonly [string, unknown]): [string, string] {
  return [name, String(value)];
}
