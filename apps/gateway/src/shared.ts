/** Something open, such as connections, that must be closed once. */
export interface Closable {
  close(): Promise<void>;
}

/** One user's share of an item. */
export interface Taken<T> {
  readonly item: T;
  /** Call it once. The last user closes the item. */
  readonly release: () => Promise<void>;
}

/** Items that several generations of the settings share, so that a reload leaves open what it does not change. */
export interface Shared<T> {
  /** Takes the item of a key. The first user opens it. */
  takeItem(key: string, open: () => T): Taken<T>;
  /** The items that are open. */
  all(): readonly T[];
}

/** Creates an empty collection. */
export function createShared<T extends Closable>(): Shared<T> {
  const open = new Map<string, { readonly item: T; users: number }>();
  return {
    takeItem(key, make) {
      const entry = open.get(key) ?? { item: make(), users: 0 };
      open.set(key, entry);
      entry.users += 1;
      return {
        item: entry.item,
        async release() {
          entry.users -= 1;
          if (entry.users > 0) return;
          open.delete(key);
          await entry.item.close();
        },
      };
    },
    all: () => [...open.values()].map(({ item }) => item),
  };
}
