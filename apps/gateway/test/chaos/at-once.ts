const MAX_AT_ONCE = 8;

/** Runs a function for each item, for a few items at a time. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const next = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, next));
}
