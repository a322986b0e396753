import { randomUUID } from "node:crypto";
import autocannon from "autocannon";
import { percentile } from "../percentile.ts";
import { headersOf, type LoadOrder, type LoadResult } from "./load.ts";
import { workNamed } from "./works.ts";

// The load where wrk is not installed.
process.on("message", (order: LoadOrder) => {
  void run(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.once("disconnect", () => process.exit());

async function run({ connections, origin, requests, token, work }: LoadOrder): Promise<LoadResult> {
  const one = workNamed(work);
  const took: number[] = [];
  const begun = performance.now();
  let ended = begun;
  const { promise, reject, resolve } = Promise.withResolvers<autocannon.Result>();
  const running = autocannon(
    {
      url: origin,
      connections,
      amount: Math.max(requests, connections),
      timeout: 30,
      requests: [
        {
          method: one.method,
          path: one.path,
          setupRequest(request) {
            const content = one.body();
            return {
              ...request,
              path: one.nextPath?.() ?? one.path,
              headers: headersOf(one, token, randomUUID()),
              ...(content === null ? {} : { body: JSON.stringify(content) }),
            };
          },
        },
      ],
    },
    (error, result) => (error === null ? resolve(result) : reject(error)),
  );
  // Its own figures are whole milliseconds.
  running.on("response", (_client, _status, _bytes, milliseconds) => {
    took.push(milliseconds);
    ended = performance.now();
  });
  const { errors, non2xx } = await promise;
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} requests of ${work} failed`);
  return {
    requests: took.length,
    seconds: (ended - begun) / 1_000,
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
  };
}
