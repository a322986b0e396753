import { describe, expect, it } from "vitest";
import * as z from "zod";
import { manifest } from "./manifests.ts";
import { namesIn, textOf } from "./repository.ts";

/** An instruction of the Dockerfile, whose continued lines are joined. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

function readDockerfile(): readonly Instruction[] {
  return textOf("deploy/Dockerfile")
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", text = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { name, text };
    });
}

const instructions = readDockerfile();
const runtime = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));

function textsOf(name: string, among = instructions): readonly string[] {
  return among.filter((one) => one.name === name).map(({ text }) => text);
}

describe("the container image", () => {
  it("the container image is based on an official Node image with a tag", () => {
    const bases = textsOf("FROM").map((text) => text.replace(/ AS .*$/, ""));
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^node:24-bookworm-slim$/);
  });

  it("the Dockerfile downloads no file with ADD, curl, wget or an https address", () => {
    expect(textsOf("ADD")).toEqual([]);
    for (const { text } of instructions) expect(text).not.toMatch(/\b(curl|wget|https:)/);
  });

  it("the build of the container image installs exactly the package versions in the lock file", () => {
    const [install = "", , build = ""] = textsOf("RUN");
    expect(install).toContain("install --frozen-lockfile");
    expect(build).toContain("install --offline");
    const { packageManager } = JSON.parse(textOf("package.json"));
    expect(install).toContain(`npx --yes ${packageManager} `);
  });

  it("the container image runs as a numeric user other than root", () => {
    expect(textsOf("USER", runtime)).toEqual(["1000:1000"]);
    const after = runtime.slice(runtime.findIndex(({ name }) => name === "USER"));
    expect([...textsOf("RUN", after), ...textsOf("COPY", after)]).toEqual([]);
  });

  it("the container image contains only the deployed files of the build, and no package manager", () => {
    expect(textsOf("COPY", runtime)).toEqual(["--from=build /image ./"]);
    const [removal = ""] = textsOf("RUN", runtime);
    for (const place of ["node_modules", "npm", "npx", "corepack", "yarn"])
      expect(removal).toContain(place);
  });

  it("a container stops with the signal SIGTERM, which reaches the gateway's process directly", () => {
    expect(textsOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(textsOf("ENTRYPOINT")[0]).toMatch(/^\["node", /);
  });

  it("the container image expects configuration, secrets and data in the folders that Kubernetes mounts", () => {
    const [home] = textsOf("WORKDIR", runtime);
    const [environment = ""] = textsOf("ENV", runtime);
    expect(environment).toContain("NODE_ENV=production");
    expect(environment).toContain(`GATEWAY_CONFIG=${home}/configuration/gateway.config.json`);
    expect(environment).toContain(`GATEWAY_DATA=${home}/data`);
    const [gateway] = manifest("Deployment").spec.template.spec.containers;
    expect(gateway.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      `${home}/configuration`,
      `${home}/secrets`,
      `${home}/data`,
    ]);
  });

  it("the container image contains all configured packages, and only packages of this repository", () => {
    const { dependencies } = z
      .looseObject({ dependencies: z.record(z.string(), z.literal("workspace:*")) })
      .parse(JSON.parse(textOf("deploy/image/package.json")));
    const published = [...namesIn("packages"), "../apps/cli"]
      .map((name) => JSON.parse(textOf(`packages/${name}/package.json`)))
      .filter((found) => found.private !== true)
      .map(({ name }) => name);
    const held = Object.keys(dependencies);
    expect(published).toEqual(expect.arrayContaining(held));
    const { providers } = JSON.parse(manifest("ConfigMap").data["gateway.config.json"] ?? "");
    expect(held).toEqual(
      expect.arrayContaining(providers.map((entry: { package: string }) => entry.package)),
    );
  });

  it("the build of the container image ignores local files of the machine", () => {
    const left = textOf("deploy/Dockerfile.dockerignore").split("\n");
    for (const pattern of [".git", "**/node_modules", "**/dist", "**/data", "**/.env"])
      expect(left).toContain(pattern);
  });
});
