import {
  type ByStatus,
  defineProvider,
  type Lookup,
  lookup,
  none,
  type Provider,
  type Read,
  read,
  type Submission,
  submission,
} from "@insurance-gateway/core/contract";
import { joined, loose, strict, text, zodSchema } from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "provider-wire";

export interface Named {
  name: string;
}
const named = loose<Named>({ name: text() });

/** Two methods of one path, which name the path's parameter in two styles. */
const readPolicy: Read<{ params: { policy_id: string }; response: Named }> = read({
  provider,
  path: "/policies/{policy_id}",
  params: strict<{ policy_id: string }>({ policy_id: text() }),
  response: { 200: named },
});
const cancelPolicy: Submission<{ params: { "policy-id": string }; response: undefined }> =
  submission({
    provider,
    method: "DELETE",
    path: "/policies/{policy-id}",
    params: strict<{ "policy-id": string }>({ "policy-id": text() }),
    response: { 204: none },
  });
const readBlankPolicy: Read<{ response: Named }> = read({
  provider,
  path: "/policies/new",
  response: { 200: named },
});
/** Endpoints of an insurer with the path `/`, and with a slash at the end of a path. */
const readStatus: Read<{ response: Named }> = read({
  provider,
  path: "/",
  response: { 200: named },
});
const readList: Read<{ params: { list: string }; response: Named }> = read({
  provider,
  path: "/lists/{list}/",
  params: strict<{ list: string }>({ list: text() }),
  response: { 200: named },
});
/** Endpoints whose paths have fixed text beside a parameter, or a colon. */
const readSheet: Read<{ params: { number: number }; response: Named }> = read({
  provider,
  path: "/sheets/s{number}.v1",
  params: strict<{ number: number }>({ number: z.int() }),
  response: { 200: named },
});
const renew: Submission<{ params: { id: string }; response: Named }> = submission({
  provider,
  path: "/policies/{id}:renew",
  params: strict<{ id: string }>({ id: text() }),
  response: { 200: named },
});

export interface Filter {
  from: string;
  active?: boolean;
  most?: number;
}
export interface PricesQuery {
  ids: number[];
  tags?: string[];
  filter: Filter;
  exact?: boolean;
}
const listPrices: Lookup<{ query: PricesQuery; response: Named[] }> = lookup({
  provider,
  path: "/prices",
  query: strict<PricesQuery>({
    ids: z.array(z.number()).check(z.minLength(1)),
    tags: z.exactOptional(joined(z.array(z.string()).check(z.minLength(1)))),
    filter: z.strictObject({
      from: z.string(),
      active: z.exactOptional(z.boolean()),
      most: z.exactOptional(z.number()),
    }),
    exact: z.exactOptional(z.boolean()),
  }),
  response: { 200: zodSchema<Named[]>(z.array(z.looseObject({ name: text() }))) },
});

export interface OrderHeaders {
  "x-agent": string;
  "x-lines"?: number[];
}
export interface Created {
  orderId: string;
}
export interface Accepted {
  queue: string;
}
const createOrder: Submission<{
  headers: OrderHeaders;
  body: Named;
  response: ByStatus<{ 201: Created; 202: Accepted; 204: undefined }>;
}> = submission({
  provider,
  path: "/orders",
  headers: strict<OrderHeaders>({
    "x-agent": text(),
    "x-lines": z.exactOptional(joined(z.array(z.int()).check(z.minLength(1)))),
  }),
  body: strict<Named>({ name: text() }),
  response: {
    201: loose<Created>({ orderId: text() }),
    202: loose<Accepted>({ queue: text() }),
    204: none,
  },
});

export interface Total {
  /** A 64-bit number of the insurer. */
  id: string;
}
const readTotal: Read<{ response: Total }> = read({
  provider,
  path: "/total",
  response: {
    200: {
      media: { "application/json": loose<Total>({ id: z.string().check(z.regex(/^\d+$/)) }) },
      headers: strict<{ "x-total": number; "x-note"?: string }>({
        "x-total": z.int(),
        "x-note": z.exactOptional(text()),
      }),
    },
  },
});

interface Endpoints {
  readonly readPolicy: typeof readPolicy;
  readonly cancelPolicy: typeof cancelPolicy;
  readonly readBlankPolicy: typeof readBlankPolicy;
  readonly readStatus: typeof readStatus;
  readonly readList: typeof readList;
  readonly readSheet: typeof readSheet;
  readonly renew: typeof renew;
  readonly listPrices: typeof listPrices;
  readonly createOrder: typeof createOrder;
  readonly readTotal: typeof readTotal;
}

/** A fictional provider with everything that a declaration can send over HTTP. */
export const providerWire: Provider<Endpoints> = defineProvider({
  id: provider,
  name: "Provider Wire",
  lines: ["motor"],
  endpoints: {
    readPolicy,
    cancelPolicy,
    readBlankPolicy,
    readStatus,
    readList,
    readSheet,
    renew,
    listPrices,
    createOrder,
    readTotal,
  },
});
