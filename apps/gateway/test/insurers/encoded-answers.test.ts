import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applicationBody, submitApplication } from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type Behaviour, type Insurer, json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

let insurer: Insurer;
let gateway: GatewayInProcess;
beforeEach(async () => {
  insurer = await startInsurer(json(200, {}));
  const providers = ["a", "c", "d"].map((letter) => insurerConfiguration(letter, insurer.baseUrl));
  gateway = await startInProcess({ providers });
});
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/** Answers with compressed content, which the gateway has not requested. */
function compressed(status: number, type: string, content: string): Behaviour {
  return (response) => {
    response.writeHead(status, { "content-type": type, "content-encoding": "gzip" });
    response.end(gzipSync(content));
  };
}

describe("compressed answers of an insurer", () => {
  it.each([
    ["/provider-a/auto/brands", "application/json", '{"items":[]}'],
    ["/provider-d/applications/search?clientAfm=123456789", "application/json", '{"items":[]}'],
    ["/provider-c/application/ipid?applicationId=C-1", "application/pdf", "%PDF-1.7\n%%EOF"],
  ])(
    "the gateway refuses a compressed answer, and the problem mentions the insurer's Content-Encoding: %s",
    async (path, type, content) => {
      insurer.behaviour = compressed(200, type, content);
      expect(await problemIn(await gateway.ask(path))).toMatchObject({
        status: 502,
        code: "PROVIDER_BAD_RESPONSE",
        detail: "The insurer's answer has a Content-Encoding, although the gateway asked for none.",
      });
      expect(insurer.arrivals.map(({ headers }) => headers["accept-encoding"])).toEqual([
        "identity",
      ]);
    },
  );

  it("a compressed answer to a submission leaves the outcome `unknown`", async () => {
    insurer.behaviour = compressed(201, "application/json", "{}");
    const response = await submitApplication(gateway, applicationBody());
    expect(await problemIn(response)).toMatchObject({ status: 504, outcome: "unknown" });
  });

  it("a compressed answer with the status 401 counts as a refusal of the credentials, and the gateway does not send the next submission", async () => {
    insurer.behaviour = compressed(401, "application/json", "{}");
    const answers = [applicationBody(), applicationBody()].map(
      (body) => () => submitApplication(gateway, body),
    );
    const outcomes: unknown[] = [];
    for (const submit of answers) outcomes.push((await problemIn(await submit())).outcome);
    expect(outcomes).toEqual(["unknown", "not_sent"]);
  });
});

it.each(["identity", "Identity", ""])(
  "the gateway accepts an answer whose Content-Encoding means no compression: %j",
  async (encoding) => {
    insurer.behaviour = json(200, { items: [] }, { "content-encoding": encoding });
    expect((await gateway.ask("/provider-a/auto/brands")).status).toBe(200);
  },
);
