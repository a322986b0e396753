import type { Provider } from "@insurance-gateway/core/contract";
import type { Adapter } from "./adapter.ts";
import { endpointFinder } from "./dialect.ts";

/**
 * Returns a provider with only the named endpoints, for a dialect that supports only these endpoints.
 * @param names - the names of the endpoints
 */
export function endpointsOf<P extends Provider<object>, Name extends keyof P["endpoints"]>(
  provider: P,
  ...names: readonly Name[]
): Provider<Pick<P["endpoints"], Name>> {
  const all: P["endpoints"] = provider.endpoints;
  const endpoints = Object.fromEntries(names.map((name) => [name, all[name]]));
  // The object has exactly the endpoints of `names`.
  return { ...provider, endpoints: endpoints as Pick<P["endpoints"], Name> };
}

/**
 * Joins the adapters of an insurer that speaks several dialects, such as JSON and SOAP. Only one adapter may log in.
 * @throws TypeError if not exactly one adapter supports an endpoint, if several adapters log in or name credentials, or
 *   if a row of `failures` has no media type or the media type of a row of another adapter: the row would also match
 *   the other adapter's answers
 */
export function joinedAdapter(provider: Provider<object>, adapters: readonly Adapter[]): Adapter {
  const failures = adapters.flatMap((adapter) => adapter.failures);
  if (failures.some(({ media }) => media === undefined))
    throw new TypeError(
      `The adapter of ${provider.id}: each row of \`failures\` must have \`media\``,
    );
  const media = adapters.flatMap((adapter) => [
    ...new Set(adapter.failures.map((row) => row.media)),
  ]);
  if (new Set(media).size < media.length)
    throw new TypeError(
      `The adapter of ${provider.id}: only one dialect can have \`failures\` of one media type`,
    );
  const speaker = endpointFinder(provider, (name, endpoint) => {
    const [one, another] = adapters.filter(({ speaks }) => speaks?.(endpoint) !== false);
    if (one !== undefined && another === undefined) return one;
    throw new TypeError(
      `The adapter of ${provider.id}: ${one === undefined ? "no dialect supports" : "several dialects support"} ${name}`,
    );
  });
  const login = singleValue(
    provider,
    "login",
    adapters.flatMap((adapter) => adapter.login ?? []),
  );
  const credentials = singleValue(
    provider,
    "credentials",
    adapters.flatMap((adapter) => (adapter.credentials === undefined ? [] : [adapter.credentials])),
  );
  return {
    name: provider.id,
    failures,
    ...(login === undefined ? {} : { login }),
    ...(credentials === undefined ? {} : { credentials }),
    call: (endpoint, ...rest) => speaker(endpoint).call(endpoint, ...rest),
    findsByReference: (search) => speaker(search).findsByReference?.(search) ?? false,
  };
}

/**
 * Returns the value of the only adapter that has a value; undefined if no adapter has one. Throws a TypeError if
 * several adapters have a value.
 */
function singleValue<Found>(
  { id }: Provider<object>,
  name: string,
  found: readonly Found[],
): Found | undefined {
  if (found.length > 1)
    throw new TypeError(`The adapter of ${id}: only one dialect can have \`${name}\``);
  return found[0];
}
