/** A resource, such as connections, that must be closed exactly once. */
export interface Closable {
  close(): Promise<void>;
}

/** A shared resource for one user, with the function that ends the use. */
export interface AcquiredResource<T> {
  readonly item: T;
  /** Ends the use of the resource, and closes it after the last use. Call this function only once. */
  readonly release: () => Promise<void>;
}

/**
 * Open resources by key, such as connections. Generations of settings share them, so that a reload keeps the resources
 * whose settings it does not change.
 */
export interface SharedResources<T> {
  /** Returns the resource of a key for one more user. Opens the resource for the first user. */
  acquireItem(key: string, open: () => T): AcquiredResource<T>;
  /** Returns the open resources. */
  all(): readonly T[];
}

/** Creates the collection of shared resources, at first without an open resource. */
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
