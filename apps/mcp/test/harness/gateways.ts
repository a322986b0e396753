import {
  developmentToken,
  type GatewayFolder,
  makeGatewayFolder,
  startGatewayProcess,
} from "@insurance-gateway/running-gateway";

/** The built gateway with five sandboxes, for the tests of the MCP server. */
export interface TestGateway {
  readonly address: string;
  readonly token: string;
  readonly folder: string;
  stop(): Promise<void>;
}

/** The path segment of provider-b at the test gateway. The segment differs from the provider's id. */
export const SEGMENT_OF_B = "travel-house";

/**
 * Starts the gateway.
 * @param timeouts - the timeouts of provider-d, for tests that would wait for a lost answer
 */
export async function startGateway(timeouts?: {
  readonly submissionMs: number;
}): Promise<TestGateway> {
  const providers = ["a", "b", "c", "d", "e"].map((letter) => ({
    package: `@insurance-gateway/provider-${letter}`,
    upstream: "sandbox",
    ...(letter === "b" ? { segment: SEGMENT_OF_B } : {}),
    ...(letter === "d" && timeouts !== undefined ? { timeouts } : {}),
  }));
  const folder: GatewayFolder = makeGatewayFolder({ providers });
  const token = await developmentToken(folder.path);
  const gateway = await startGatewayProcess(folder.path);
  return {
    address: gateway.address,
    token,
    folder: folder.path,
    async stop() {
      await gateway.stop();
      folder.remove();
    },
  };
}
