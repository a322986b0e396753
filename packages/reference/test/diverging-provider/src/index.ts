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
  /** The kind of the cover; the schema accepts only one of the two kinds. */
  kind: "A" | "B";
  /** A number or null; the schema accepts only null. */
  amount: number | null;
  /** The progress; the schema misspells a value. */
  progress: OpenEnum<"BEGUN" | "DONE">;
  /** Notes; the schema accepts only one text. */
  notes: string[] | string;
  /** Nested covers. */
  parts: Cover[];
  /** Limits by name; the schema accepts only the value A. */
  limits: Record<string, "A" | "B">;
  /** The way to contact a person. */
  contact: Letter | Call;
}

/** Contact by post. */
export interface Letter {
  /** The constant that selects contact by post. */
  by: "LETTER";
}

/** Contact by telephone. */
export interface Call {
  /** The constant that selects contact by telephone. */
  by: "CALL";
  /** Any number; the schema accepts only two. */
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

/** An order of a cover. */
export interface Order {
  /** The ordered cover. */
  cover: Cover;
}

const order: Schema<Order> = strict<Order>({ cover: coverShape });

/** An order that the insurer has accepted. */
export interface Taken {
  /** The order's number. */
  number: string;
}

const taken: Schema<Taken> = loose<Taken>({ number: z.literal("1") });

/** Creates an order. */
export const takeOrder: Submission<{ body: Order; response: Taken }> = submission({
  provider: "diverging-provider",
  path: "/orders",
  body: order,
  response: { 201: taken },
});

/** The search criteria for orders. */
export interface OrderSearch {
  /** The owner of the orders. */
  customer: "ALL" | "OWN";
  /** The position of the first order. */
  start?: number;
  /** Maximum number of orders on a page. */
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

/** Kinds of vehicles; type and schema agree. */
export interface Kinds {
  /** The names of all kinds of vehicles. */
  items: string[];
  /** The use of the vehicles. */
  use: OpenEnum<"CAR" | "BOAT"> | null;
  /** A car, a boat, a sledge or a vehicle of an unlisted kind. */
  usual: Car | Boat | Sledge;
  /** A car, a boat or a sledge. */
  own: Car | Boat | Sledge;
  /** A car, or a vehicle of an unlisted kind. */
  only: Car;
}

/** A car. */
export interface Car {
  /** The constant that selects a car. */
  kind: "car";
}

/** A boat. */
export interface Boat {
  /** The constant that selects a boat. */
  kind: "boat";
}

/** A sledge. */
export interface Sledge {
  /** The constant that selects a sledge, or an older word for it. */
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

/** Lists the kinds of vehicles. */
export const listKinds: Lookup<{ response: Kinds }> = lookup({
  provider: "diverging-provider",
  path: "/kinds",
  response: { 200: kinds },
});

/** Endpoints whose schemas refuse values that their types allow. The compiler accepts them. */
export const endpoints: {
  readonly takeOrder: typeof takeOrder;
  readonly searchOrders: typeof searchOrders;
  readonly listKinds: typeof listKinds;
} = { takeOrder, searchOrders, listKinds };
