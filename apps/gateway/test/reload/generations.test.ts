import { describe, expect, it } from "vitest";
import { createGenerations } from "../../src/reload/generations.ts";
import { createSharedResources } from "../../src/shared.ts";

interface Thing {
  readonly name: string;
  close(): Promise<void>;
}

/** Returns an object that records calls of `close`. The test decides when the promise of `close` resolves. */
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

describe("generations of settings", () => {
  it("a replaced generation of settings is closed when the last user of this generation has finished", () => {
    const closed: string[] = [];
    const generations = createGenerations(openThing("first", closed));
    const [one, two] = [generations.acquireGeneration(), generations.acquireGeneration()];
    generations.replace(openThing("second", closed));
    const three = generations.acquireGeneration();
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

  it("a replaced generation of settings is closed at once if no request uses it", () => {
    const closed: string[] = [];
    const generations = createGenerations(openThing("first", closed));
    generations.replace(openThing("second", closed));
    generations.replace(openThing("third", closed));
    expect(closed).toEqual(["first", "second"]);
  });

  it("the closing of all generations of settings waits for earlier generations that are still closing", async () => {
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

describe("resources that generations share", () => {
  it("a resource that generations of settings share is opened for the first user, and closed after the last user", async () => {
    const closed: string[] = [];
    const shared = createSharedResources<Thing>();
    const never = (): never => {
      throw new TypeError("It is open already");
    };
    const one = shared.acquireItem("a", () => openThing("a", closed));
    const two = shared.acquireItem("a", never);
    const other = shared.acquireItem("b", () => openThing("b", closed));
    expect(two.item).toBe(one.item);
    expect(shared.all()).toEqual([one.item, other.item]);
    await one.release();
    expect([closed, shared.all()]).toEqual([[], [one.item, other.item]]);
    await two.release();
    expect([closed, shared.all()]).toEqual([["a"], [other.item]]);
    const again = shared.acquireItem("a", () => openThing("a again", closed));
    expect(again.item.name).toBe("a again");
    await other.release();
    await again.release();
    expect([closed, shared.all()]).toEqual([["a", "b", "a again"], []]);
  });

  it("the last release of a shared resource waits until the resource is closed", async () => {
    const closing = Promise.withResolvers<void>();
    const shared = createSharedResources<Thing>();
    const { release } = shared.acquireItem("a", () => openThing("a", [], closing.promise));
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
