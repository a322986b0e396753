import { providerD } from "@insurance-gateway/provider-d";
import { startSandboxGateway } from "@insurance-gateway/running-gateway";
import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { connect } from "./harness/in-process.ts";
import { startSimulatedGateway } from "./harness/simulated-gateway.ts";

const of = (path: string): string => `insurance-gateway://reference/${path}`;

it("the MCP resources are the pages of the gateway's reference: the gateway's endpoints, the providers' endpoints and the guides", async () => {
  const gateway = await startSandboxGateway();
  const client = await connect({ provider: providerD, gateway: gateway.address });
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining([
      of("llms.txt"),
      of("gateway/readSubmission.md"),
      of("providers/provider-d/createApplication.md"),
      of("guides/submissions.md"),
    ]),
  );
  const { contents } = await client.readResource({ uri: of("gateway/readSubmission.md") });
  expect(contents).toMatchObject([
    { mimeType: "text/markdown", text: expect.stringContaining("GET ") },
  ]);
  await gateway.stop();
});

it("the MCP server lists no resources if the gateway serves no reference, and never requests a page outside the reference", async () => {
  const paths: string[] = [];
  const gateway = await startSimulatedGateway((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(404).end();
  });
  const client = await connect({ provider: providerD, gateway });
  expect(await client.listResources()).toEqual({ resources: [] });
  for (const uri of [of("../submissions/x.md"), "file:///etc/passwd", of("gateway/none.md")])
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
    });
  expect(paths).toEqual(["/reference/llms.txt", "/reference/gateway/none.md"]);
});
