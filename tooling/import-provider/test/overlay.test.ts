import { describe, expect, it } from "vitest";
import { applyOverlay } from "../src/document/overlay.ts";

const document = {
  info: { title: "Test" },
  tags: ["A", "B"],
  paths: {
    "/a": { get: { operationId: "readA", tags: ["A"] } },
    "/b": { get: { operationId: "readB", tags: ["B"] }, post: { tags: ["A"] } },
  },
};

function changedBy(...actions: readonly object[]): object {
  return applyOverlay(document, { overlay: "1.0.0", actions }, "o.yaml");
}

describe("overlays", () => {
  it.each([
    ["the operation's path", "$.paths['/a'].get", ["readA"]],
    ["its tag", "$.paths.*[?@.tags[?@ == 'A']]", ["readA", undefined]],
    ["the operation id", "$.paths.*[?@.operationId == 'readB']", ["readB"]],
  ])("an overlay selects an operation by %s", (_what, target, ids) => {
    const changed = JSON.parse(JSON.stringify(changedBy({ target, update: { chosen: true } })));
    const operations = Object.values<object>(changed.paths).flatMap((item) => Object.values(item));
    expect(operations.filter(({ chosen }) => chosen).map(({ operationId }) => operationId)).toEqual(
      ids,
    );
  });

  it("an overlay removes the parts of the document that an action with `remove` targets", () => {
    expect(changedBy({ target: "$.tags[*]", remove: true })).toMatchObject({ tags: [] });
    expect(changedBy({ target: "$.paths['/a']", remove: true })).not.toHaveProperty([
      "paths",
      "/a",
    ]);
  });

  it.each([
    ["without a change", { target: "$.info" }, "needs update, or remove: true"],
    ["with a misspelt member", { target: "$.info", updates: {} }, 'has the member "updates"'],
    [
      "with a member of a newer version",
      { target: "$.info", copy: "$.tags" },
      'has the member "copy"',
    ],
    ["whose `remove` is a text", { target: "$.info", remove: "yes" }, "must be true or false"],
    ["without a matching target", { target: "$.paths['/c']", remove: true }, "matches nothing"],
    ["without a target", { remove: true }, "needs a target"],
    ["with an invalid target", { target: "paths", remove: true }, "is not a JSONPath"],
  ])("the importer refuses an overlay that has an action %s", (_what, action, message) => {
    expect(() => changedBy({ target: "$.tags", remove: true }, action)).toThrow(message);
    expect(() => changedBy(action)).toThrow("o.yaml, action 1");
  });

  it("the importer refuses an overlay of an unknown version", () => {
    expect(() => applyOverlay(document, { overlay: "2.0.0" }, "o.yaml")).toThrow(
      "is not an overlay",
    );
  });
});
