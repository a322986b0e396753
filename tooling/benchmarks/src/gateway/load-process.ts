import { randomUUID } from "node:crypto";
import { Client } from "undici";
import { percentile } from "../percentile.ts";
import { workNamed } from "./works.ts";

/** What the process is asked to send. */
export interface LoadOrder {
  readonly origin: string;
  readonly token: string;
  readonly work: string;
  readonly requests: number;
  readonly connections: number;
}

/** What came of it, in milliseconds. */
export interface LoadResult {
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

process.on("message", (order: LoadOrder) => {
  void run(order).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.once("disconnect", () => process.exit());

/** Each connection sends its next request as soon as it has the answer to the one before. */
async function run({ connections, origin, requests, token, work }: LoadOrder): Promise<LoadResult> {
  const { body, method, path, status } = workNamed(work);
  const took: number[] = [];
  let left = requests;
  const begun = performance.now();
  const useConnection = async (): Promise<void> => {
    const client = new Client(origin, { pipelining: 1 });
    for (; left > 0; ) {
      left -= 1;
      const content = body();
      const sentAt = performance.now();
      const answer = await client.request({
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          ...(content === null ? {} : { "content-type": "application/json" }),
          ...(status === 201 ? { "idempotency-key": randomUUID() } : {}),
        },
        body: content === null ? null : JSON.stringify(content),
      });
      if (answer.statusCode !== status)
        throw new Error(`${path} was answered ${answer.statusCode}: ${await answer.body.text()}`);
      await answer.body.dump({ limit: 1_000_000 });
      took.push(performance.now() - sentAt);
    }
    await client.close();
  };
  await Promise.all(Array.from({ length: connections }, useConnection));
  return {
    seconds: (performance.now() - begun) / 1_000,
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
  };
}
