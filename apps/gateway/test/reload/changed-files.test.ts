import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ReloadedGateway, startReloaded } from "./reloaded-gateway.ts";
import { reloadWhenSettled } from "./settled.ts";

let site: ReloadedGateway;
beforeEach(async () => {
  site = await startReloaded();
});
afterEach(() => site.stop());

describe("a secret in a file", () => {
  it("the gateway looks for changed files once a minute, and uses a changed secret if the secret's file is unchanged a second later", async () => {
    site.writeToken("second");
    const newest: (string | undefined)[] = [];
    for (const milliseconds of [59_999, 1, 999, 1]) {
      site.time.forward(milliseconds);
      await site.time.tick();
      await site.look();
      newest.push(/^insurance_gateway_configuration_newest (\d)/m.exec(await site.metrics())?.[1]);
    }
    expect(site.tokens()).toEqual([
      "Bearer first",
      "Bearer first",
      "Bearer first",
      "Bearer second",
    ]);
    expect(newest).toEqual(["1", "0", "0", "1"]);
    await reloadWhenSettled(site.time);
    expect(await site.metrics()).toContain('insurance_gateway_reloads_total{result="applied"} 1');
  });

  it("the gateway does not use a secret that is still changing or empty", async () => {
    site.time.forward(60_000);
    for (const text of ["sec", "second-", "second-tok"]) {
      site.writeToken(text);
      await site.time.tick();
      site.time.forward(1_000);
    }
    site.writeToken("");
    await site.time.tick();
    await reloadWhenSettled(site.time);
    await site.look();
    site.writeToken("second-token");
    await reloadWhenSettled(site.time);
    await site.look();
    expect(site.tokens()).toEqual(["Bearer first", "Bearer second-token"]);
  });

  it("the gateway uses a secret's new value if the link to the secret's file is replaced, as Kubernetes does", async () => {
    const version = (name: string, token: string): void => {
      mkdirSync(join(site.folder.path, name));
      writeFileSync(join(site.folder.path, name, "token"), token);
    };
    version("..first", "one");
    version("..second", "two");
    symlinkSync("..first", join(site.folder.path, "..data"));
    const provider = {
      upstream: {
        baseUrl: site.insurer.baseUrl,
        adapter: "declared",
        credentials: { type: "bearer", token: { file: "..data/token" } },
      },
    };
    expect(await site.reloadWith(provider)).toMatchObject({ result: "applied" });
    await site.look();
    symlinkSync("..second", join(site.folder.path, "..new"));
    renameSync(join(site.folder.path, "..new"), join(site.folder.path, "..data"));
    await reloadWhenSettled(site.time);
    await site.look();
    expect(site.tokens()).toEqual(["Bearer one", "Bearer two"]);
  });

  it("the gateway's log contains the configuration key of a changed secret, but not the secret's value", async () => {
    site.writeToken("s3cret");
    await reloadWhenSettled(site.time);
    const line = site.gateway.log
      .map((text) => JSON.parse(text))
      .find(({ msg }) => msg === "the configuration was reloaded");
    expect(line?.keys).toEqual(["providers[0].upstream.credentials.token"]);
    expect(site.gateway.log.join("")).not.toContain("s3cret");
  });
});

it("the gateway reads a changed configuration file only once if the change has no effect", async () => {
  const file = join(site.folder.path, "gateway.config.json");
  writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
  await reloadWhenSettled(site.time);
  await reloadWhenSettled(site.time);
  const text = await site.metrics();
  expect(text).toContain('insurance_gateway_reloads_total{result="unchanged"} 1');
  expect(text).toContain("insurance_gateway_configuration_newest 1");
  expect(site.gateway.log.join("")).not.toContain("reloaded");
});
