import type { AdapterAnswer, Send } from "@insurance-gateway/adapter";
import { type Endpoint, pdf } from "@insurance-gateway/core/contract";
import { Refusal } from "@insurance-gateway/core/runtime";
import { describe, expect, it } from "vitest";
import { type Behaviour, json } from "../harness/insurer.ts";
import {
  acting,
  calling,
  done,
  issuePolicy,
  type Step,
  stepwiseInsurer,
} from "./stepwise-insurer.ts";

const site = stepwiseInsurer();
const reset: Behaviour = (response) => void response.socket?.destroy();

describe("a submission of several requests", () => {
  const failing = (status: number, type = "application/json"): Behaviour =>
    json(status, { code: status === 422 ? "NO" : "?" }, { "content-type": type });
  it.each<[string, Step, Behaviour, attempt: string, retryAfter?: string]>([
    ["connection reset", "/prepare", reset, "failed"],
    ["status 499", "/prepare", failing(499), "unusable", "5"],
    ["status 500", "/prepare", failing(500), "failed", "5"],
    ["HTML page", "/prepare", failing(404, "text/html"), "failed", "5"],
    ["status 401", "/prepare", failing(401), "credentials_refused"],
    ["documented code", "/prepare", failing(422), "answered"],
    ["connection reset", "/issue", reset, "failed"],
    ["connection reset", "/state", reset, "failed"],
    ["status 500", "/state", failing(500), "unusable"],
    ["status 401", "/state", failing(401), "credentials_refused"],
  ])(
    "the fault and the path of a failed request in a submission determine how the gateway counts the attempt: %s at %s",
    async (_, step, behaviour, attempt, retryAfter) => {
      const refused = await site.answerWith({ [step]: behaviour });
      if (!(refused instanceof Refusal)) throw new TypeError("It was carried out");
      const { details } = refused;
      expect([details.attempt, details.headers?.["retry-after"]]).toEqual([attempt, retryAfter]);
      expect(details.credentialsOutdated).toBe(attempt === "credentials_refused" || undefined);
    },
  );

  const state = { method: "GET", path: "/state" };
  it.each<[string, (send: Send) => Promise<AdapterAnswer>, string?, Behaviour?]>([
    [
      "the adapter marks no request as acting",
      async (send) => {
        await (await send(state)).text();
        return done;
      },
    ],
    [
      "the gateway cannot connect for the second request",
      async (send) => {
        await (await send(acting)).text();
        await site.disconnect();
        await send(state);
        return done;
      },
      "failed",
    ],
    [
      "the gateway cannot connect for the third request",
      async (send) => {
        for (const request of [acting, state]) await (await send(request)).text();
        await site.disconnect();
        await send(state);
        return done;
      },
      "failed",
    ],
    [
      "the answer is lost, and the adapter's query for the result cannot be sent",
      async (send) => {
        await send(acting).catch(() => site.disconnect());
        await send(state);
        return done;
      },
      "failed",
      reset,
    ],
    [
      "a later request cannot be written",
      async (send) => {
        await (await send(acting)).text();
        return { type: "unsendable", faults: [] };
      },
    ],
    [
      "the adapter fails",
      async (send) => {
        await (await send(acting)).text();
        throw new TypeError("A fault of the adapter");
      },
    ],
    [
      "a later request is refused",
      async (send) => {
        for (const request of [acting, state]) await (await send(request)).text();
        return { type: "refusal", status: 401, mediaType: "text/html", content: "" };
      },
    ],
    [
      "the answer cannot be read",
      async (send) => {
        await (await send(acting)).text();
        return { type: "unreadable", status: 200, detail: "It is no JSON." };
      },
    ],
  ])(
    "a submission is `unknown`, and its problem names the reconciliation search, if the insurer may have acted: %s",
    async (_, call, attempt, behaviour = json(200, {})) => {
      const reconcile = {
        endpoint: "searchPolicies",
        parameters: { number: { from: "/number" } },
        createdAt: "/createdAt",
      };
      const { createdAt: _created, ...reconciliation } = reconcile;
      const given = { "/issue": behaviour };
      const endpoint = { ...issuePolicy, reconcile };
      expect(await site.answerWith(given, calling(call), endpoint)).toMatchObject({
        code: "OUTCOME_UNKNOWN",
        facts: { outcome: "unknown", retry: "same_key" },
        details: { reconciliation, ...(attempt === undefined ? {} : { attempt }) },
      });
    },
  );
});

it("no connection is in use after a document, even if the adapter has not read an earlier answer", async () => {
  const documents: Endpoint = {
    provider: "provider-x",
    path: "/policies/document",
    kind: "document",
    method: "GET",
    response: {},
    files: [pdf],
  };
  const careless = calling(async (send) => {
    // The adapter does not read the body of this answer.
    await send({ method: "GET", path: "/prepare" });
    const response = await send({ method: "GET", path: "/state" });
    return { type: "document", mediaType: "application/pdf", content: response.stream() };
  });
  const endless: Behaviour = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("[");
  };
  const file: Behaviour = (response) => {
    response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-");
  };
  expect(await site.answerWith({ "/prepare": endless, "/state": file }, careless, documents)).toBe(
    200,
  );
  expect(site.underWay()).toBe(0);
});
