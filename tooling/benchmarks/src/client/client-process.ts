import { createGateway } from "@insurance-gateway/core";
import { listBrands } from "@insurance-gateway/provider-a";
import { searchApplications } from "@insurance-gateway/provider-d";
import { calculatePensionQuote } from "@insurance-gateway/provider-e";
import { Pool } from "undici";
import { type Work, workNamed } from "../gateway/works.ts";

/** The library that makes the calls. */
export type ClientName = "undici" | "client" | "fetch";

/** A message to the client's process: the kind and the number of calls, and the number of simultaneous calls. */
export interface ClientOrder {
  readonly work: string;
  readonly calls: number;
  readonly inFlight: number;
}

const [name = "", origin = ""] = process.argv.slice(2);
const TOKEN = "token";
const call = callerOf(name);
process.on("message", (order: ClientOrder) => {
  void run(order).then(
    () => process.send?.({ failed: null }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.once("disconnect", () => process.exit());

async function run({ calls, inFlight, work }: ClientOrder): Promise<void> {
  const one = workNamed(work);
  let left = calls;
  const callInTurn = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      await call(one);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, callInTurn));
}

/** Returns a function that makes one call and reads the answer. This project's client also validates the answer. */
function callerOf(client: string): (work: Work) => Promise<unknown> {
  if (client === "client") return ownCaller();
  if (client === "undici") {
    const pool = new Pool(origin, { connections: 64, pipelining: 1 });
    return async (work) => {
      const { body, statusCode } = await pool.request({ path: work.path, ...requestOf(work) });
      return checked(statusCode, await body.json());
    };
  }
  return async (work) => {
    const response = await fetch(`${origin}${work.path}`, requestOf(work));
    return checked(response.status, await response.json());
  };
}

function ownCaller(): (work: Work) => Promise<unknown> {
  const gateway = createGateway({ baseUrl: origin, token: TOKEN });
  const query = { clientAfm: "123456789" };
  const calls: Readonly<Record<string, (work: Work) => Promise<unknown>>> = {
    lookup: async () => gateway.call(listBrands, {}),
    search: async () => gateway.call(searchApplications, { query }),
    quote: async (work) =>
      gateway.call(calculatePensionQuote, {
        // The work generates bodies of the declared type; the client validates them.
        body: work.body() as Parameters<
          typeof gateway.call<typeof calculatePensionQuote>
        >[1]["body"],
      }),
  };
  return async (work) => calls[work.name]?.(work);
}

function requestOf(work: Work): {
  method: Work["method"];
  headers: Record<string, string>;
  body: string | null;
} {
  const content = work.body();
  return {
    method: work.method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(content === null ? {} : { "content-type": "application/json" }),
    },
    body: content === null ? null : JSON.stringify(content),
  };
}

function checked(status: number, value: unknown): unknown {
  if (status === 200) return value;
  throw new Error(`The answer's status is ${status}`);
}
