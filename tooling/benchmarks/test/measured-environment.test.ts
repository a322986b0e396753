import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { memoryEnvironment } from "../src/gateway/processes.ts";

it.each(Object.entries(memoryEnvironment))(
  "the gateway is measured with %s=%s, as its image sets it",
  (name, value) => {
    const image = readFileSync(new URL("../../../deploy/Dockerfile", import.meta.url), "utf8");
    expect(image).toContain(` ${name}=${value} `);
  },
);
