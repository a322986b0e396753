import type { ByStatus } from "./answers.ts";
import type { Endpoint, EndpointTypes } from "./endpoint.ts";

/** The types an endpoint was declared with. */
export type TypesOf<E extends Endpoint> = NonNullable<E["~types"]> & EndpointTypes;

/** The answer to a call of an endpoint: a union if the answers differ by status. */
export type ResponseOf<E extends Endpoint> =
  TypesOf<E>["response"] extends ByStatus<infer Answered>
    ? Answered[keyof Answered]
    : TypesOf<E>["response"];

type Parts<E extends Endpoint> = Pick<
  NonNullable<E["~types"]>,
  Extract<keyof NonNullable<E["~types"]>, "params" | "query" | "headers" | "body">
>;

/** Whether a part can be left out: it may be undefined, or every field of it is optional. */
type IsOptional<Part> = undefined extends Part
  ? true
  : Record<never, never> extends Part
    ? true
    : false;

/** The input of a call of an endpoint. A part is optional if it can be omitted, or if all its fields are optional. */
export type InputOf<E extends Endpoint> = {
  [Name in keyof Parts<E> as IsOptional<Parts<E>[Name]> extends true
    ? never
    : Name]: Parts<E>[Name];
} & {
  [Name in keyof Parts<E> as IsOptional<Parts<E>[Name]> extends true
    ? Name
    : never]?: Parts<E>[Name];
};
