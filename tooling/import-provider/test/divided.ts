import type { PublishedDocument } from "./octokit-document.ts";

/** Splits a document's operations into parts of nearly equal size, each with only the components that it needs. */
export function divideDocument(
  document: PublishedDocument,
  parts: number,
): readonly PublishedDocument[] {
  const paths = Object.entries(document.paths);
  const size = Math.ceil(paths.length / parts);
  return Array.from({ length: parts }, (_, part) => {
    const own = Object.fromEntries(paths.slice(part * size, (part + 1) * size));
    return { ...document, paths: own, components: componentsOf(document, own) };
  });
}

/** Returns the components to which the paths refer, directly or through other components. */
function componentsOf(
  { components }: PublishedDocument,
  paths: unknown,
): PublishedDocument["components"] {
  const found = new Map<string, unknown>();
  const collect = (text: string): void => {
    for (const [, kind = "", escaped = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"/]+)/g)) {
      const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
      const key = JSON.stringify([kind, name]);
      const component = components[kind]?.[name];
      if (component === undefined || found.has(key)) continue;
      found.set(key, component);
      collect(JSON.stringify(component));
    }
  };
  collect(JSON.stringify(paths));
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(
      Object.entries(named).filter(([name]) => found.has(JSON.stringify([kind, name]))),
    ),
  ]);
  return Object.fromEntries(kept);
}
