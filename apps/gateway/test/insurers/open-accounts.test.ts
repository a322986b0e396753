import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type AccountPool, createAccountPool } from "../../src/insurers/account/open-accounts.ts";

interface Opened {
  readonly id: string;
  isNeeded(): boolean;
  close(): Promise<void>;
}

/** Creates a pool of accounts; `notes` records each opening and closing. */
function startAccounts(mostOpen = 2) {
  const notes: string[] = [];
  const world = {
    /** The accounts whose opening fails. */
    broken: new Set<string>(),
    needed: new Set<string>(),
    /** Each closing waits for this promise. */
    closed: Promise.resolve(),
  };
  const accounts: AccountPool<Opened> = createAccountPool(async (id) => {
    notes.push(`open ${id}`);
    if (world.broken.has(id)) throw new TypeError(`${id} is broken`);
    return {
      id,
      isNeeded: () => world.needed.has(id),
      async close() {
        await world.closed;
        notes.push(`close ${id}`);
      },
    };
  }, mostOpen);
  const use = (id: string): Promise<string> => useWith(accounts, id, async (open) => open.id);
  return { accounts, notes, use, world };
}

/** Uses an account while a function runs. */
async function useWith<Result>(
  accounts: AccountPool<Opened>,
  id: string,
  work: (open: Opened) => Promise<Result>,
): Promise<Result> {
  const account = accounts.hold(id);
  try {
    return await work(account.opened ?? (await account.ready()));
  } finally {
    account.release();
  }
}

describe("an account in use", () => {
  it("the account pool opens an account at the first use, and keeps the account open if the work with the account fails", async () => {
    const { accounts, notes, use } = startAccounts();
    expect(await Promise.all([use("a"), use("a")])).toEqual(["a", "a"]);
    const fault = new TypeError("fault");
    await expect(useWith(accounts, "a", () => Promise.reject(fault))).rejects.toBe(fault);
    await use("a");
    expect(notes).toEqual(["open a"]);
    expect(accounts.all().map(({ id }) => id)).toEqual(["a"]);
  });

  it("the account pool does not list an account as open before the opening has succeeded", async () => {
    const { accounts, notes, use } = startAccounts();
    accounts.forget("a");
    const used = use("a");
    expect(accounts.all()).toEqual([]);
    await used;
    expect(accounts.all().map(({ id }) => id)).toEqual(["a"]);
    expect(notes).toEqual(["open a"]);
  });

  it("the account pool opens an account again at its next use if the first opening has failed", async () => {
    const { accounts, notes, use, world } = startAccounts();
    world.broken.add("a");
    await expect(use("a")).rejects.toThrow("a is broken");
    expect(accounts.all()).toEqual([]);
    world.broken.clear();
    expect(await use("a")).toBe("a");
    expect(notes).toEqual(["open a", "open a"]);
  });

  it("a failed opening of an account does not remove a newer opening of the same account from the account pool", async () => {
    const { accounts, notes, use, world } = startAccounts();
    world.broken.add("a");
    const broken = use("a");
    accounts.forget("a");
    world.broken.clear();
    const opened = use("a");
    await expect(broken).rejects.toThrow("a is broken");
    await opened;
    await use("a");
    expect(notes).toEqual(["open a", "open a"]);
  });

  it("the account pool closes a removed account after the account's last running use, and opens the account again at the next use", async () => {
    const { accounts, notes, use } = startAccounts();
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const uses = ends.map(({ promise }) => useWith(accounts, "a", () => promise));
    await use("b");
    accounts.forgetIf((id) => id === "a");
    await use("a");
    ends[0]?.resolve();
    await uses[0];
    expect(notes).toEqual(["open a", "open b", "open a"]);
    ends[1]?.resolve();
    await uses[1];
    await setImmediate();
    expect(notes).toEqual(["open a", "open b", "open a", "close a"]);
    accounts.forget("b");
    await setImmediate();
    expect(notes.slice(4)).toEqual(["close b"]);
    const end = Promise.withResolvers<void>();
    const only = useWith(accounts, "a", () => end.promise);
    accounts.forget("a");
    await setImmediate();
    expect(notes.slice(5)).toEqual([]);
    end.resolve();
    await only;
    await setImmediate();
    expect(notes.slice(5)).toEqual(["close a"]);
  });

  it("the account pool keeps an account open until its use ends if the account is removed from the pool during that use", async () => {
    const { accounts, notes, use } = startAccounts();
    await use("a");
    const end = Promise.withResolvers<void>();
    const working = useWith(accounts, "a", () => {
      accounts.forget("a");
      return end.promise;
    });
    await setImmediate();
    expect(notes).toEqual(["open a"]);
    end.resolve();
    await working;
    await setImmediate();
    expect(notes).toEqual(["open a", "close a"]);
  });
});

describe("the maximum of open accounts", () => {
  it("the account pool with too many open accounts closes the least recently used account that is neither in use nor needed", async () => {
    const { accounts, notes, use, world } = startAccounts();
    for (const id of ["a", "b", "a", "c"]) await use(id);
    await setImmediate();
    expect(notes).toEqual(["open a", "open b", "open c", "close b"]);
    world.needed.add("a");
    const end = Promise.withResolvers<void>();
    const inUse = useWith(accounts, "c", () => end.promise);
    await use("d");
    expect(accounts.all().map(({ id }) => id)).toEqual(["a", "c", "d"]);
    world.needed.clear();
    await use("e");
    expect(accounts.all().map(({ id }) => id)).toEqual(["c", "e"]);
    end.resolve();
    await inUse;
  });

  it("the account pool keeps an account open while the work with the account opens another account, even above the maximum", async () => {
    const { accounts, notes, use } = startAccounts(1);
    await use("a");
    await useWith(accounts, "a", () => use("b"));
    await setImmediate();
    expect(notes).toEqual(["open a", "open b"]);
  });

  it("the closing of the account pool waits until every account has closed, even accounts above the maximum", async () => {
    const { accounts, notes, use, world } = startAccounts();
    const held = Promise.withResolvers<void>();
    world.closed = held.promise;
    for (const id of ["a", "b", "c"]) await use(id);
    let isClosed = false;
    const closed = accounts.close().then(() => {
      isClosed = true;
    });
    await setImmediate();
    expect(isClosed).toBe(false);
    held.resolve();
    await closed;
    expect(accounts.all()).toEqual([]);
    expect(notes.slice(3).toSorted()).toEqual(["close a", "close b", "close c"]);
  });

  it("the account pool keeps at most 1,000 accounts open by default", async () => {
    const accounts: AccountPool<Opened> = createAccountPool(async (id) => ({
      id,
      isNeeded: () => false,
      close: async () => undefined,
    }));
    const all = Array.from({ length: 1_000 }, (_, index) => String(index));
    for (const id of all) await useWith(accounts, id, async () => undefined);
    expect(accounts.all().map(({ id }) => id)).toEqual(all);
    await useWith(accounts, "another", async () => undefined);
    expect(accounts.all().map(({ id }) => id)).toEqual([...all.slice(1), "another"]);
  });
});
