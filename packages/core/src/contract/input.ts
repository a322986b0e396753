import type { Endpoint, EndpointTypes } from "./endpoint.ts";

/** The types an endpoint was declared with. */
export type TypesOf<E extends Endpoint> = NonNullable<E["~types"]> & EndpointTypes;

/** What a call of an endpoint answers with. */
export type ResponseOf<E extends Endpoint> = TypesOf<E>["response"];

type Parts<E extends Endpoint> = Pick<
  NonNullable<E["~types"]>,
  Extract<keyof NonNullable<E["~types"]>, "params" | "query" | "body">
>;

/** What a call of an endpoint takes; a part is optional when every field of it is. */
export type InputOf<E extends Endpoint> = {
  [Name in keyof Parts<E> as Record<never, never> extends Parts<E>[Name]
    ? never
    : Name]: Parts<E>[Name];
} & {
  [Name in keyof Parts<E> as Record<never, never> extends Parts<E>[Name]
    ? Name
    : never]?: Parts<E>[Name];
};
