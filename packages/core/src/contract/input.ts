import type { ByStatus } from "./answers.ts";
import type { Endpoint, EndpointTypes } from "./endpoint.ts";

/** The types an endpoint was declared with. */
export type TypesOf<E extends Endpoint> = NonNullable<E["~types"]> & EndpointTypes;

/** What a call of an endpoint answers with: of answers that differ by status, any of them. */
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

/** What a call of an endpoint takes; a part is optional when it may be left out, or every field of it is. */
export type InputOf<E extends Endpoint> = {
  [Name in keyof Parts<E> as IsOptional<Parts<E>[Name]> extends true
    ? never
    : Name]: Parts<E>[Name];
} & {
  [Name in keyof Parts<E> as IsOptional<Parts<E>[Name]> extends true
    ? Name
    : never]?: Parts<E>[Name];
};
