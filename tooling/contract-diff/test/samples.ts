import type { Draft } from "./harness/random-schemas.ts";

/** Maximum of sample values for one part of a schema. */
const MAX_SAMPLES = 12;

/** Returns values around the limits of a schema and of every type: some are valid, some just invalid. */
export function samplesOf(
  schema: unknown,
  named: Readonly<Record<string, Draft>>,
  depth = 4,
): readonly unknown[] {
  if (depth === 0 || typeof schema !== "object" || schema === null) return [null, "a", 1];
  const draft: Draft = { ...schema };
  const inner = (part: unknown) => samplesOf(part, named, depth - 1);
  const samples = [
    ...constants(draft),
    ...[draft.anyOf, draft.oneOf, draft.allOf]
      .flat()
      .flatMap((part) => (part === undefined ? [] : inner(part))),
    ...(draft.$ref === undefined ? [] : inner(named[String(draft.$ref).slice(-1)])),
    ...("properties" in draft ? objects(draft, inner) : []),
    ...("items" in draft ? lists(draft, inner) : []),
  ];
  return spread(samples, MAX_SAMPLES);
}

function constants(draft: Draft): readonly unknown[] {
  const limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].flatMap(
    (keyword) => {
      const limit = draft[keyword];
      return typeof limit === "number" ? [limit - 1, limit, limit + 0.5, limit + 1] : [];
    },
  );
  return [null, true, 1, 0.5, "", "a", "ab", "b", "aaaa", "bbbbb", {}, [], ...limits];
}

function objects(draft: Draft, inner: (part: unknown) => readonly unknown[]): readonly unknown[] {
  const values = Object.entries({ a: {}, b: {}, c: {}, ...Object(draft.properties) }).map(
    ([name, part]) => [name, inner(part)] as const,
  );
  const wholes = Array.from({ length: 6 }, (_, index) =>
    Object.fromEntries(values.map(([name, all]) => [name, all[(index * 5) % all.length]])),
  );
  const variants = wholes.slice(0, 2).flatMap((whole) =>
    values.flatMap(([name, all]) => {
      const { [name]: _, ...rest } = whole;
      return [rest, ...all.slice(0, 8).map((value) => ({ [name]: value }))];
    }),
  );
  return [...wholes, ...variants, { other: 1 }];
}

function lists(draft: Draft, inner: (part: unknown) => readonly unknown[]): readonly unknown[] {
  const items = inner(draft.items);
  const first = [draft.prefixItems]
    .flat()
    .flatMap((part) => (part === undefined ? [] : [inner(part)]));
  return [
    ...items.map((item) => [item]),
    ...items.slice(0, 6).map((item) => [item, item, item]),
    ...Array.from({ length: 6 }, (_, index) => [
      ...first.map((all) => all[(index * 5) % all.length]),
      items[index % items.length],
    ]),
  ];
}

/** Picks values that are spread over the whole list. */
function spread(values: readonly unknown[], most: number): readonly unknown[] {
  const distance = Math.max(1, values.length / most);
  return values.filter((_, index) => Math.floor(index % distance) === 0);
}
