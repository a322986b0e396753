import {
  defineProvider,
  document,
  lookup,
  type Provider,
  pdf,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import { count, date, loose, pageQuery, strict, text } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "provider-x";
const thing = loose<{ id: string }>({ id: text() });

interface Order {
  name: string;
  born: string;
  cars?: string[];
}

interface ThingSearch {
  name: string;
  start?: number;
  limit?: number;
}

/** A provider for tests with an endpoint of most kinds. */
export const providerX: Provider = defineProvider({
  id: provider,
  name: "The X",
  lines: ["motor", "life"],
  endpoints: {
    listThings: lookup<{ response: { id: string } }>({
      provider,
      path: "/things",
      response: { 200: thing },
    }),
    findThings: search<{ query: ThingSearch; item: { id: string } }>({
      provider,
      path: "/things/search",
      query: strict<ThingSearch>({ name: text(20), ...pageQuery() }),
      item: thing,
    }),
    downloadThing: document<{ query: { id: string } }>({
      provider,
      path: "/things/file",
      query: strict<{ id: string }>({ id: text() }),
      files: [pdf],
      fileName: "thing",
    }),
    orderThing: submission<{
      params: { shelf: number };
      body: Order;
      response: { id: string };
    }>({
      provider,
      path: "/shelves/{shelf}/orders",
      params: strict<{ shelf: number }>({ shelf: count() }),
      body: strict<Order>({
        name: text(),
        born: date(),
        cars: z.exactOptional(z.array(text())),
      }),
      response: { 201: thing },
      idempotency: "reconcile",
      reconcile: {
        endpoint: "findThings",
        parameters: { name: { from: "/name" } },
        createdAt: "/createdAt",
      },
      same: ["/name"],
      settleAfterMs: 60_000,
      insurerId: "/id",
      creates: true,
    }),
  },
});
