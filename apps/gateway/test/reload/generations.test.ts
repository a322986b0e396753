import { describe, expect, it } from "vitest";
import { createGenerations } from "../../src/reload/generations.ts";
import { createShared } from "../../src/shared.ts";

interface Thing {
  readonly name: string;
  close(): Promise<void>;
}

/** Something open, whose closing is noted, and ends when the test says so. */
function openThing(
  name: string,
  closed: string[],
  closing: Promise<void> = Promise.resolve(),
): Thing {
  return {
    name,
    async close() {
      closed.push(name);
      await closing;
    },
  };
}

describe("generations", () => {
  it("generations give each user the newest, and close a replaced one with its last user", () => {
    const closed: string[] = [];
    const generations = createGenerations(openThing("first", closed));
    const [one, two] = [generations.takeGeneration(), generations.takeGeneration()];
    generations.replace(openThing("second", closed));
    const three = generations.takeGeneration();
    expect([one, two, three].map(({ value }) => value.name)).toEqual(["first", "first", "second"]);
    expect(generations.current().name).toBe("second");
    one.release();
    three.release();
    expect(closed).toEqual([]);
    two.release();
    expect(closed).toEqual(["first"]);
    generations.replace(openThing("third", closed));
    expect(closed).toEqual(["first", "second"]);
  });

  it("generations close a replaced one without users at once", () => {
    const closed: string[] = [];
    const generations = createGenerations(openThing("first", closed));
    generations.replace(openThing("second", closed));
    generations.replace(openThing("third", closed));
    expect(closed).toEqual(["first", "second"]);
  });

  it("end with the newest one, when every earlier one is closed, too", async () => {
    const closed: string[] = [];
    const closing = Promise.withResolvers<void>();
    const generations = createGenerations(openThing("first", closed, closing.promise));
    generations.replace(openThing("second", closed));
    let isOver = false;
    const over = generations.close().then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    expect([closed, isOver]).toEqual([["first", "second"], false]);
    closing.resolve();
    await over;
  });
});

describe("what generations share", () => {
  it("is opened by its first user, and closed by its last", async () => {
    const closed: string[] = [];
    const shared = createShared<Thing>();
    const never = (): never => {
      throw new TypeError("It is open already");
    };
    const one = shared.takeItem("a", () => openThing("a", closed));
    const two = shared.takeItem("a", never);
    const other = shared.takeItem("b", () => openThing("b", closed));
    expect(two.item).toBe(one.item);
    expect(shared.all()).toEqual([one.item, other.item]);
    await one.release();
    expect([closed, shared.all()]).toEqual([[], [one.item, other.item]]);
    await two.release();
    expect([closed, shared.all()]).toEqual([["a"], [other.item]]);
    const again = shared.takeItem("a", () => openThing("a again", closed));
    expect(again.item.name).toBe("a again");
    await other.release();
    await again.release();
    expect([closed, shared.all()]).toEqual([["a", "b", "a again"], []]);
  });

  it("is released when it is closed", async () => {
    const closing = Promise.withResolvers<void>();
    const shared = createShared<Thing>();
    const { release } = shared.takeItem("a", () => openThing("a", [], closing.promise));
    let isReleased = false;
    const released = release().then(() => {
      isReleased = true;
    });
    await new Promise(setImmediate);
    expect(isReleased).toBe(false);
    closing.resolve();
    await released;
  });
});
