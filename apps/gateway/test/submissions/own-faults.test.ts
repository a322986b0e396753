import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { expect, it, onTestFinished } from "vitest";
import { startInProcess } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";
import { installPackage } from "../harness/provider-package.ts";
import { CHANGES_PACKAGE } from "./changes-package.ts";

/** Source of an adapter that fails before the adapter sends anything. */
const ADAPTER = `
import { declared } from "@insurance-gateway/adapter";
export const adapter = {
  ...declared,
  name: "m",
  call: async () => { throw new TypeError("a fault in the package"); },
};`;

it.each([
  [
    "with a key that an earlier request may have had",
    { "idempotency-key": "one" },
    "unknown",
    "same_key",
  ],
  ["without a key", {}, "not_sent", "safe"],
])(
  "the gateway reports `unknown` for a fault in the gateway only if the submission has an idempotency key: %s",
  async (_, headers, outcome, retry) => {
    const insurer = await startInsurer(json(200, {}));
    onTestFinished(() => insurer.close());
    const folder = makeGatewayFolder();
    installPackage(folder, "provider-m", CHANGES_PACKAGE, ADAPTER);
    const upstream = { baseUrl: insurer.baseUrl, credentials: { type: "none" } };
    const providers = [{ package: "provider-m", upstream }];
    const gateway = await startInProcess({ providers }, {}, { folder });
    onTestFinished(() => gateway.stop());
    const answer = await fetch(`${gateway.address}/provider-m/policies/1`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${gateway.token}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ colour: "red" }),
    });
    expect(await problemIn(answer)).toMatchObject({ code: "INTERNAL_ERROR", outcome, retry });
    expect(insurer.arrivals).toEqual([]);
  },
);
