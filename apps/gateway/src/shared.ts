/** A resource, such as connections, that must be closed exactly once. */
export interface Closable {
  close(): Promise<void>;
}

/** An item that a user has taken. */
export interface AcquiredResource<T> {
  readonly item: T;
  /** Releases the item; the last user closes it. Call this function only once. */
  readonly release: () => Promise<void>;
}

/**
 * Open resources by key. Generations of the settings share them, so that a reload does not close what it does not
 * change.
 */
export interface SharedResources<T> {
  /** Takes the item of a key; the first user opens it. */
  acquireItem(key: string, open: () => T): AcquiredResource<T>;
  /** Returns the open items. */
  all(): readonly T[];
}

/** Creates a collection without items. */
export function createSharedResources<T extends Closable>(): SharedResources<T> {
  const open = new Map<string, { readonly item: T; users: number }>();
  return {
    acquireItem(key, make) {
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
