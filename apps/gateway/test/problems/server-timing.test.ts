import { Refusal } from "@insurance-gateway/core/runtime";
import { expect, it, onTestFinished, vi } from "vitest";
import type { IncomingRequest, RequestWaits } from "../../src/http/exchange.ts";
import { NO_FACTS } from "../../src/pipeline/facts.ts";
import { createPipeline, type PipelineParts } from "../../src/pipeline/pipeline.ts";

it("a problem reports the gateway's own time without the time of the insurer and of the caller", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_100);
  onTestFinished(() => clock.mockRestore());
  // A refusal uses no other part of the pipeline.
  const pipeline = createPipeline({ pages: () => null } as Partial<PipelineParts> as PipelineParts);
  const refuseAfter = async (waits: Partial<RequestWaits>): Promise<unknown> => {
    // A refusal reads only these fields of a request.
    const exchange = {
      id: "id-1",
      begunAt: 1_000,
      head: { method: "GET", headers: {}, headersDistinct: {} },
      waits,
    } as unknown as IncomingRequest;
    const refusal = new Refusal("NOT_FOUND", { detail: "Nothing.", headers: { allow: "GET" } });
    const before = { ...NO_FACTS, limits: { ratelimit: "one" } };
    const { answer, facts } = await pipeline.refuse(refusal, exchange, before);
    const { headers, refusal: answered, status } = answer;
    expect([answered, status, facts.problem]).toEqual([
      refusal,
      404,
      expect.objectContaining({ code: "NOT_FOUND", requestId: "id-1", provider: null }),
    ]);
    return headers;
  };
  const headers = {
    ratelimit: "one",
    allow: "GET",
    "cache-control": "no-store",
    "content-type": "application/problem+json; charset=utf-8",
  };
  expect(await refuseAfter({})).toEqual({
    ...headers,
    "server-timing": "insurer;dur=0, gateway;dur=100",
  });
  expect(await refuseAfter({ receivedMs: 30, insurerMs: 20.5 })).toEqual({
    ...headers,
    "server-timing": "insurer;dur=20.5, gateway;dur=49.5",
  });
});
