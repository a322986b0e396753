import { expect, it } from "vitest";
import { createLog } from "../src/log.ts";

it("writes the fields of the allow-list, in their form, and no others", () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const planted = { body: { afm: "123456789" }, name: "Ελένη" };
  log("warn", "failed", {
    tool: "provider-d_createApplication",
    code: "Ελένη",
    requestId: "123456789",
    status: 404,
    ...planted,
  });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: 40,
    time: expect.any(String),
    tool: "provider-d_createApplication",
    code: "?",
    requestId: "?",
    status: 404,
    msg: "failed",
  });
});
