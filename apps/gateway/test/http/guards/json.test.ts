import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../../harness/gateway-in-process.ts";
import type { Insurer } from "../../harness/insurer.ts";
import { problemIn } from "../../harness/problem.ts";
import { startAnsweringInsurer } from "./answering-insurer.ts";
import { type JsonCase, jsonCases, SECRET } from "./json-cases.ts";

let gateway: GatewayInProcess;
let insurer: Insurer;

beforeAll(async () => {
  insurer = await startAnsweringInsurer();
  gateway = await startInProcess({ providers: [insurerConfiguration("e", insurer.baseUrl)] });
});
afterAll(async () => {
  await gateway.stop();
  await insurer.close();
});

function send(body: JsonCase["body"]): Promise<Response> {
  return gateway.ask("/provider-e/life/core/fast-pension-quote", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

describe("JSON bodies", () => {
  it.each(jsonCases)(
    "the gateway refuses a JSON body that two readers could understand in different ways: $name, $answer",
    async ({ answer, body, says }) => {
      const before = insurer.arrivals.length;
      const response = await send(body);
      const reached = insurer.arrivals.slice(before);
      if (response.ok) {
        expect(answer).toBe(String(response.status));
        const arrived: unknown = JSON.parse(reached[0]?.body ?? "");
        // The insurer reads the same value as the caller's own parser.
        expect(arrived).toEqual(JSON.parse(body.toString()));
        return;
      }
      const problem = await problemIn(response);
      expect(`${response.status} ${problem.code}`).toBe(answer);
      expect(problem.detail).toMatch(says);
      if (answer.endsWith("MALFORMED_JSON")) expect(JSON.stringify(problem)).not.toContain(SECRET);
      expect(reached).toEqual([]);
    },
  );
});
