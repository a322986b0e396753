import { expect, it } from "vitest";
import { insurerConfiguration, startInProcess } from "../harness/gateway-in-process.ts";
import { json, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

it("a gateway whose event loop is blocked answers a request with the problem `OVERLOADED` and a Retry-After", async () => {
  const insurer = await startInsurer(json(200, { items: [] }));
  const gateway = await startInProcess({
    providers: [insurerConfiguration("a", insurer.baseUrl)],
    overload: { eventLoopDelayMs: 20 },
  });
  const refused: Response[] = [];
  for (let round = 0; round < 40 && refused.length === 0; round += 1) {
    const until = performance.now() + 300;
    while (performance.now() < until);
    // The request has no token: the status 401 shows that load shedding did not refuse it.
    const response = await fetch(gateway.address);
    if (response.status === 503) refused.push(response);
    else expect(response.status).toBe(401);
  }
  const [first] = refused;
  expect(first?.headers.get("retry-after")).toBe("1");
  if (first !== undefined)
    expect(await problemIn(first)).toMatchObject({ code: "OVERLOADED", outcome: "not_sent" });
  expect(refused).toHaveLength(1);
  await gateway.stop();
  await insurer.close();
});

it("the header `Server-Timing` of every answer, even of a problem, states the time that the insurer and the gateway used", async () => {
  const insurer = await startInsurer(json(200, { items: [] }));
  const gateway = await startInProcess({ providers: [insurerConfiguration("a", insurer.baseUrl)] });
  for (const path of ["/provider-a/auto/brands", "/provider-a/nowhere"])
    expect((await gateway.ask(path)).headers.get("server-timing")).toMatch(
      /^insurer;dur=\d+(\.\d)?, gateway;dur=\d+(\.\d)?$/,
    );
  await gateway.stop();
  await insurer.close();
});
