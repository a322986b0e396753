import { randomBytes } from "node:crypto";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import pino from "pino";
import { createAuthenticate } from "../../src/authentication/authenticate.ts";
import { openDevelopmentIssuer } from "../../src/authentication/development-issuer.ts";
import { openIssuers } from "../../src/authentication/issuers.ts";
import { type Configuration, loadConfiguration } from "../../src/configuration/load.ts";
import { installProviders } from "../../src/configuration/providers.ts";
import { retentionOf } from "../../src/configuration/submissions.ts";
import { createListener } from "../../src/listener/listener.ts";
import { createPipeline } from "../../src/pipeline.ts";
import { providerRoutes } from "../../src/routing/provider-routes.ts";
import { createRouteTable, type PlacedRoute } from "../../src/routing/route-table.ts";
import type { SubmissionStore } from "../../src/store/store.ts";
import { createSealer } from "../../src/submissions/sealing.ts";
import {
  endpointFinder,
  startSubmissions,
  submissionSegments,
} from "../../src/submissions/submissions.ts";
import { createUpstream, type Upstream } from "../../src/upstream/upstream.ts";
import { type HeldTime, holdTime } from "./held-time.ts";
import type { CalledGateway } from "./store-calls.ts";

/** The gateway's way of a request on a store of the test's own, whose size no configuration says. */
export interface StoreGateway extends CalledGateway {
  readonly time: HeldTime;
  /** Stops it, and closes the store. */
  stop(): Promise<void>;
}

const logger = pino({ level: "silent" });

/** Puts one together as `startGateway` does. */
export async function startStoreGateway(
  store: SubmissionStore,
  content: object,
): Promise<StoreGateway> {
  const folder = makeGatewayFolder(content);
  const configuration = loadConfiguration({}, folder.path);
  const time = holdTime();
  const { routes, upstreams } = await connect(configuration);
  const submissions = startSubmissions({
    store,
    secret: randomBytes(32),
    sealer: createSealer([{ id: "key-1", secret: randomBytes(32) }]),
    retention: retentionOf(configuration),
    basePath: "",
    findEndpoint: endpointFinder(routes.map(({ route }) => route)),
    segments: submissionSegments(routes.map(({ route }) => route)),
    time,
    logger,
  });
  const pipeline = createPipeline({
    authenticate: createAuthenticate(await openIssuers(configuration, {})),
    findRoute: createRouteTable(routes),
    submissions,
    basePath: "",
    logger,
  });
  const listener = createListener(pipeline, logger, "");
  const issuer = await openDevelopmentIssuer(configuration.data);
  return {
    address: await listener.listen({ host: "127.0.0.1", port: 0 }),
    token: await issuer.sign({ subject: "tester", scope: "*:*", expiresInSeconds: 600 }),
    time,
    async stop() {
      await listener.drain();
      await submissions.stop();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      folder.remove();
    },
  };
}

async function connect(configuration: Configuration): Promise<{
  readonly routes: readonly PlacedRoute[];
  readonly upstreams: readonly Upstream[];
}> {
  const routes: PlacedRoute[] = [];
  const upstreams: Upstream[] = [];
  for (const installed of await installProviders(configuration, {})) {
    const { timeouts, upstream: place } = installed;
    if ("sandbox" in place) throw new Error("There is no sandbox here");
    const upstream = createUpstream({ ...place, timeouts, sandbox: false });
    upstreams.push(upstream);
    routes.push(...providerRoutes(installed, "", upstream));
  }
  return { routes, upstreams };
}
