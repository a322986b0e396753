import { isDeepStrictEqual } from "node:util";
import type { Endpoint, Provider } from "@insurance-gateway/core/contract";
import { kindCode, kindsWithCode } from "@insurance-gateway/core/runtime";

/** A provider's declarations as JSON, that is, without schemas and functions. */
export interface RouteData {
  readonly provider: DescribedObject;
  readonly endpoints: Readonly<Record<string, DescribedObject>>;
}

/** The properties of an object that JSON can represent, and the names of the other properties. */
interface DescribedObject {
  readonly data: Readonly<Record<string, unknown>>;
  /** The names of properties that must be loaded from the module, because JSON cannot represent them. */
  readonly code: readonly string[];
}

/** Extracts the data of a provider's declarations, from which `providerOf` creates the provider. */
export function routeDataOf({ endpoints, ...provider }: Provider): RouteData {
  const described = Object.entries(endpoints).map(([name, endpoint]) => [
    name,
    describeObject(endpoint),
  ]);
  return { provider: describeObject(provider), endpoints: Object.fromEntries(described) };
}

function describeObject(value: object): DescribedObject {
  const [data, code] = [new Map<string, unknown>(), [] as string[]];
  for (const [name, each] of Object.entries(value)) {
    const text = jsonTextOf(each);
    if (text !== undefined && isDeepStrictEqual(JSON.parse(text), each)) data.set(name, each);
    else if (each !== undefined) code.push(name);
  }
  return { data: Object.fromEntries(data), code };
}

/** Returns a value as JSON, or undefined for a circle of objects, such as a schema that refers to itself. */
function jsonTextOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/**
 * Creates a provider from its data.
 * @param load - returns the complete declarations. It is called only when a schema is first needed.
 */
export function providerOf({ endpoints, provider }: RouteData, load: () => Provider): Provider {
  const made = Object.entries(endpoints).map(([name, described]) => [
    name,
    restoreObject<Endpoint>(described, () => {
      const endpoint = load().endpoints[name];
      if (endpoint === undefined)
        throw new TypeError(`The provider that was loaded has no endpoint ${name}`);
      return endpoint;
    }),
  ]);
  const { code, data } = provider;
  return restoreObject(
    { code, data: { ...data, endpoints: Object.freeze(Object.fromEntries(made)) } },
    load,
  );
}

function restoreObject<Value extends object>(
  { code, data }: DescribedObject,
  load: () => Value,
): Value {
  const lazy = code.map((name) => [
    name,
    // Each name in `code` is the name of a property of the loaded value.
    { enumerable: true, get: () => load()[name as keyof Value] },
  ]);
  // JSON omits the client's code for the kind, because this code is under a symbol.
  const carried = kindsWithCode.includes(String(data.kind))
    ? { [kindCode]: { enumerable: true, get: (): unknown => Reflect.get(load(), kindCode) } }
    : {};
  // The data and the getters have all properties of the type.
  return Object.freeze(
    Object.defineProperties({ ...data }, { ...Object.fromEntries(lazy), ...carried }),
  ) as Value;
}
