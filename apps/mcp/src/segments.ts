import { InvalidArgumentError } from "commander";

/** The real path segment of each provider whose segment is not its id. */
export type Segments = Readonly<Record<string, string>>;

/** Reads one `id=segment` beside those before it. */
export function segmentOf(text: string, earlier: Segments = {}): Segments {
  const [, id, segment] = /^([a-z][a-z0-9-]*)=([^=]+)$/.exec(text) ?? [];
  if (id === undefined || segment === undefined)
    throw new InvalidArgumentError(
      "It must be the provider's id and its segment: provider-d=acme.",
    );
  if (Object.hasOwn(earlier, id)) throw new InvalidArgumentError("A provider has one segment.");
  return { ...earlier, [id]: segment };
}
