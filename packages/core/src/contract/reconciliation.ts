import { bodyOf } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { CheckedInput } from "./input-checker.ts";
import { type PageRequest, pagingOf, withPageParameters, withParameter } from "./paging.ts";
import { pathParameters } from "./path.ts";
import { valueAt } from "./pointer.ts";
import type { QueryValues } from "./query.ts";

/** A parameter of the reconciliation search, with the place of its value in a submission. */
export interface ParameterOrigin {
  /** The parameter, as `reconcile.parameters` names it. */
  readonly name: string;
  /** The submission's path parameter with the value; null if the value is in the body. */
  readonly pathParameter: string | null;
  /** The JSON Pointer of the value in the submission's body, or `/path/NAME`. */
  readonly from: string;
}

/** Returns the parameters of the reconciliation search, each with the place of its value in the submission. */
export function parameterOrigins({
  path,
  reconcile,
}: Pick<Endpoint, "path" | "reconcile">): readonly ParameterOrigin[] {
  const pathNames = pathParameters(path);
  return Object.entries(reconcile?.parameters ?? {}).map(([name, { from }]) => ({
    name,
    pathParameter: pathNames.find((parameter) => from === `/path/${parameter}`) ?? null,
    from,
  }));
}

/** Returns the values of the reconciliation search for a submission, by parameter. */
export function reconciliationValues(
  endpoint: Pick<Endpoint, "path" | "reconcile">,
  { body, params }: Pick<CheckedInput, "body" | "params">,
): QueryValues {
  return Object.fromEntries(
    parameterOrigins(endpoint).map(({ from, name, pathParameter }) => [
      name,
      pathParameter === null ? valueAt(body, from) : params[pathParameter],
    ]),
  );
}

/** Builds the request for one page of the reconciliation search. */
export function reconciliationInput(
  search: Endpoint,
  values: QueryValues,
  request: PageRequest,
): CheckedInput {
  const inPath = pathParameters(search.path);
  const parameters = Object.entries(values);
  const empty: CheckedInput = {
    params: Object.fromEntries(parameters.filter(([name]) => inPath.includes(name))),
    query: {},
    headers: {},
    body: bodyOf(search)?.required === true ? {} : undefined,
  };
  const asked = parameters
    .filter(([name]) => !inPath.includes(name))
    .reduce((input, [name, value]) => withParameter(input, name, value), empty);
  return withPageParameters(pagingOf(search), asked, request);
}
