import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type GatewayFolder,
  makeGatewayFolder,
  sandboxConfiguration,
} from "@insurance-gateway/running-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import { acceptCommands, type ProcessCommands } from "./gateway.ts";
import { type RunInProcess, runsInProcess } from "./in-process.ts";

let folder: GatewayFolder;
let run: RunInProcess;
beforeEach(() => {
  folder = makeGatewayFolder(sandboxConfiguration);
  run = runsInProcess({ folder: folder.path, address: "" });
  return () => folder.remove();
});

/**
 * Accepts the operator's commands in a data folder, as a gateway does, during `work`. `orders` executes the commands.
 */
async function serving(
  orders: Partial<ProcessCommands>,
  work: () => Promise<void>,
  data: string = join(folder.path, "data"),
): Promise<void> {
  const all: ProcessCommands = {
    reload: async () => ({ result: "unchanged" }),
    dropLookups: async () => ({ dropped: 0 }),
    ...orders,
  };
  const stop = await acceptCommands(data, all, { warn: () => {} });
  try {
    await work();
  } finally {
    await stop();
  }
}

describe("the command `reload`", () => {
  it.each([
    [{ result: "applied", changed: ["providers", "limits"] }, 0, ": providers, limits", ""],
    [{ result: "unchanged" }, 0, "", ""],
    [
      { result: "refused", faults: ["a: is wrong", "b: is wrong"] },
      78,
      "",
      "The new configuration was refused; the gateway keeps the current one:\n  a: is wrong\n  b: is wrong\n",
    ],
  ] as const)(
    "the command `reload` prints the gateway's result: %j",
    async (answer, code, more, said) => {
      await serving({ reload: async () => answer }, async () => {
        expect(await run(["reload"])).toMatchObject({
          code,
          stdout: `process ${process.pid}  ${answer.result}${more}\n`,
          stderr: said,
        });
      });
    },
  );

  it.each([[["reload"]], [["lookups", "drop"]]])(
    "a command that needs a running gateway fails if no gateway runs: %j",
    async (parameters) => {
      const { code, stderr, stdout } = await run(parameters);
      expect([code, stdout, stderr]).toEqual([
        1,
        "",
        `No gateway of this machine serves from ${join(folder.path, "data")}.\n`,
      ]);
    },
  );

  it.each([
    ["the default folder", "{}", {}, "data"],
    ["the folder of the configuration", '{"data":"./mine"}', {}, "mine"],
    ["the default folder without a configuration", null, {}, "data"],
    ["the default folder if the configuration's is not valid", '{"data":7}', {}, "data"],
    ["the folder of GATEWAY_DATA", '{"data":"./mine"}', { GATEWAY_DATA: "other" }, "other"],
    [
      "the folder of the configuration that GATEWAY_CONFIG names",
      '{"data":"./mine"}',
      { GATEWAY_CONFIG: "below/own.json" },
      "below/mine",
    ],
  ])(
    "the command `reload` reaches the gateway that uses the same data folder: %s",
    async (_, content, environment, data) => {
      const own = makeGatewayFolder();
      const file = Reflect.get(environment, "GATEWAY_CONFIG") ?? "gateway.config.json";
      mkdirSync(join(own.path, "below"));
      if (content !== null) writeFileSync(join(own.path, file), content);
      const reload = async (): Promise<void> => {
        const here = runsInProcess({ folder: own.path, address: "" });
        const { code, stdout } = await here(["reload"], { environment });
        expect([code, stdout]).toEqual([0, `process ${process.pid}  unchanged\n`]);
      };
      await serving({}, reload, join(own.path, data));
      own.remove();
    },
  );

  it.each([
    ["a missing file", { GATEWAY_CONFIG: "nowhere.json" }, "the file cannot be read"],
    ["a file that is not JSON", { GATEWAY_CONFIG: "broken.json" }, "the file is not JSON"],
  ])(
    "the command `reload` refuses an unusable configuration: %s",
    async (_, environment, fault) => {
      writeFileSync(join(folder.path, "broken.json"), "{");
      const { code, stderr } = await run(["reload"], { environment });
      expect([code, stderr]).toEqual([78, expect.stringContaining(fault)]);
    },
  );
});

describe("the command `lookups drop`", () => {
  it.each([
    [0, "0 answers"],
    [1, "1 answer"],
    [2, "2 answers"],
  ])(
    "the command `lookups drop` prints the number of cached answers that the gateway deleted: %s",
    async (dropped, words) => {
      await serving({ dropLookups: async () => ({ dropped }) }, async () => {
        expect(await run(["lookups", "drop"])).toMatchObject({
          code: 0,
          stdout: `process ${process.pid}  ${words} dropped\n`,
          stderr: "",
        });
      });
    },
  );
});
