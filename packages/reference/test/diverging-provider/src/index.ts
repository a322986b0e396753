import {
  type Lookup,
  lookup,
  type OpenEnum,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  byValue,
  loose,
  openEnum,
  pageQuery,
  strict,
  text,
  zod,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

/** A cover. */
export interface Cover {
  /** One of two kinds, of which the schema takes one. */
  kind: "A" | "B";
  /** A number or null; the schema takes null alone. */
  amount: number | null;
  /** How far it is; the schema misspells a value. */
  progress: OpenEnum<"BEGUN" | "DONE">;
  /** Notes, of which the schema takes one text. */
  notes: string[] | string;
  /** Covers of its own. */
  parts: Cover[];
  /** Limits by name, which the schema takes as A alone. */
  limits: Record<string, "A" | "B">;
  /** A way to reach somebody. */
  contact: Letter | Call;
}

/** By post. */
export interface Letter {
  /** That it is by post. */
  by: "LETTER";
}

/** By telephone. */
export interface Call {
  /** That it is by telephone. */
  by: "CALL";
  /** The number; a text, of which the schema takes two. */
  number: string;
}

const coverShape = z.strictObject({
  kind: z.enum(["A"]),
  amount: z.null(),
  progress: openEnum("BEGUN", "DNOE"),
  notes: z.string(),
  limits: z.record(z.string(), z.literal("A")),
  contact: z.union([
    z.strictObject({ by: z.literal("LETTER") }),
    z.strictObject({ by: z.literal("CALL"), number: z.enum(["1", "2"]) }),
  ]),
  get parts() {
    return z.array(coverShape);
  },
});

/** The ordered cover. */
export interface Order {
  /** The cover. */
  cover: Cover;
}

const order: Schema<Order> = strict<Order>({ cover: coverShape });

/** An order that was taken. */
export interface Taken {
  /** Its number. */
  number: string;
}

const taken: Schema<Taken> = loose<Taken>({ number: z.literal("1") });

/** Takes an order. */
export const takeOrder: Submission<{ body: Order; response: Taken }> = submission({
  provider: "diverging-provider",
  path: "/orders",
  body: order,
  response: { 201: taken },
});

/** Which orders. */
export interface OrderSearch {
  /** Whose. */
  customer: "ALL" | "OWN";
  /** The position of the first. */
  start?: number;
  /** The most. */
  limit?: number;
}

const orderSearch: Schema<OrderSearch> = strict<OrderSearch>({
  customer: z.literal("OWN"),
  ...pageQuery(),
});

/** Finds orders. */
export const searchOrders: Search<{ query: OrderSearch; item: Taken }> = search({
  provider: "diverging-provider",
  path: "/orders",
  query: orderSearch,
  item: taken,
});

/** The kinds, which are as their schema says. */
export interface Kinds {
  /** The kinds. */
  items: string[];
  /** Their use. */
  use: OpenEnum<"CAR" | "BOAT"> | null;
  /** One of them, which may also be of another kind than these. */
  usual: Car | Boat | Sledge;
  /** One of them, and no other. */
  own: Car | Boat | Sledge;
  /** The only kind that is known. */
  only: Car;
}

/** A car. */
export interface Car {
  /** The kind. */
  kind: "car";
}

/** A boat. */
export interface Boat {
  /** The kind. */
  kind: "boat";
}

/** A sledge. */
export interface Sledge {
  /** The kind; an old word is also used. */
  kind: "sledge" | "sled";
}

export const sledge: Schema<Sledge> = loose<Sledge>({ kind: z.enum(["sledge", "sled"]) });
export const car: Schema<Car> = loose<Car>({ kind: z.literal("car") });
export const boat: Schema<Boat> = loose<Boat>({ kind: z.literal("boat") });
const alternatives = { car: zod(car), boat: zod(boat), sledge: zod(sledge), sled: zod(sledge) };

const kinds: Schema<Kinds> = loose<Kinds>({
  items: z.array(zod<string>(text())),
  use: z.nullable(openEnum("CAR", "BOAT")),
  usual: byValue("kind", alternatives, { open: true }),
  own: byValue("kind", alternatives),
  only: byValue("kind", { car: alternatives.car }, { open: true }),
});

/** Lists the kinds. */
export const listKinds: Lookup<{ response: Kinds }> = lookup({
  provider: "diverging-provider",
  path: "/kinds",
  response: { 200: kinds },
});

/** Endpoints whose schemas refuse what their types allow; the compiler accepts them. */
export const endpoints: {
  readonly takeOrder: typeof takeOrder;
  readonly searchOrders: typeof searchOrders;
  readonly listKinds: typeof listKinds;
} = { takeOrder, searchOrders, listKinds };
