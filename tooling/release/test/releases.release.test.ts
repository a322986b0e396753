import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalRegistry, startRegistry } from "./harness/registry.ts";
import { commandsOf } from "./harness/workflow.ts";
import { type Ended, type SmallRepository, smallRepository } from "./small-repository.ts";

const SCHEMA = "packages/provider-d/src/schemas/application.ts";

let folder: string;
let registry: LocalRegistry;
/** One repository and one registry for all tests of this file, which depend on their order. */
let repository: SmallRepository;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "releases-"));
  registry = await startRegistry(join(folder, "registry"));
  repository = smallRepository(join(folder, "repository"), registry.environment);
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function release(...parameters: readonly string[]): Ended {
  const command = ["npm", "run", "--silent", "release", "--", "--registry", registry.address];
  const [program = "", ...rest] = [...command, ...parameters];
  return repository.run([program, ...rest]);
}

/** Publishes the packed tarballs with the script that a person uses. */
function publish(): Ended {
  return repository.run([
    "env",
    `npm_config_registry=${registry.address}`,
    "tooling/release/publish.sh",
  ]);
}

/** Runs the commands of a workflow's job until one fails, with the local registry as npm's own. */
function runJob(workflow: string, job: string): Ended {
  let output = "";
  for (const command of commandsOf(workflow, job)) {
    const ended = repository.run(command);
    output += ended.output;
    if (ended.code !== 0) return { code: ended.code, output };
  }
  return { code: 0, output };
}

/** Returns the packages that a release reported as published. */
function publishedIn({ output }: Ended): readonly string[] {
  return [...output.matchAll(/^Published @insurance-gateway\/(\S+)$/gm)].map(
    ([, name = ""]) => name,
  );
}

/** Applies the waiting changesets to the versions and commits everything. */
function version(): void {
  repository.succeed(["changeset", "version"]);
  repository.commit();
}

/** Versions, commits and publishes; expects that the release is accepted. */
function releaseAll(): readonly string[] {
  version();
  expect(release().output).not.toContain("Refused");
  const published = publishedIn(publish());
  pushMain();
  return published;
}

/** Pushes to the main branch of the origin, from which releases are made. */
function pushMain(): void {
  repository.succeed(["git", "push", "--quiet", "origin", "HEAD:refs/heads/main"]);
}

/** Installs packages into an empty folder and prints the provider's and core's versions as an application sees them. */
function use(provider: string, ...packages: readonly string[]): string {
  const place = mkdtempSync(join(folder, "application-"));
  writeFileSync(join(place, "package.json"), '{ "private": true, "type": "module" }');
  const names = packages.map((name) => `@insurance-gateway/${name}`);
  const options = ["--no-audit", "--no-fund", `--@insurance-gateway:registry=${registry.address}`];
  repository.succeed(["npm", "install", ...options, ...names], place);
  const program = `
    import { createGateway } from "@insurance-gateway/core";
    import * as declared from "@insurance-gateway/${provider}";
    const provider = Object.values(declared).find((value) => value.endpoints);
    const client = createGateway({ baseUrl: "http://127.0.0.1:1", token: "t" }).provider(provider);
    const [name] = Object.keys(provider.endpoints);
    const { version } = (await import("@insurance-gateway/${provider}/package.json", { with: { type: "json" } })).default;
    const core = (await import("@insurance-gateway/core/package.json", { with: { type: "json" } })).default;
    console.log(provider.id, version, "core", core.version, typeof client[name]);
  `;
  writeFileSync(join(place, "use.mjs"), program);
  return repository.succeed([process.execPath, "use.mjs"], place).trim();
}

describe("refused releases", () => {
  it("prepack rejects a missing dist, a dist that was built from other sources, and npm in place of pnpm", () => {
    const pack = ["pnpm", "pack", "--pack-destination", folder] as const;
    const missing = repository.run(pack, "packages/core");
    expect(missing.code).toBe(1);
    expect(missing.output).toMatch(/core is not built: .*\.\/dist\/index\.js/);
    expect(missing.output).toContain("Run `npm run build`");
    repository.succeed(["turbo", "run", "build", "--filter=@insurance-gateway/core"]);
    repository.replace("packages/core/src/index.ts", "\n", "\n// Later.\n");
    const outdated = repository.run(pack, "packages/core");
    expect(outdated.code).toBe(1);
    expect(outdated.output).toContain("was built from other sources");
    const npm = repository.run(["npm", "pack"], "packages/core");
    expect(npm.code).toBe(1);
    expect(npm.output).toContain("Use `npx pnpm pack`");
  });

  it("a release with uncommitted changes is refused", () => {
    const { code, output } = release();
    expect(code).toBe(1);
    expect(output).toContain("differs from the last commit: packages/core/src/index.ts.");
    expect(output).toContain("Commit the files or remove them");
    repository.succeed(["git", "checkout", "--quiet", "."]);
  });

  it("a release to a public registry is refused if a package.json does not name its repository, homepage and bug page", () => {
    const command = [
      "npm",
      "run",
      "--silent",
      "release",
      "--",
      "--registry",
      "https://registry.test/",
    ];
    const [program = "", ...parameters] = command;
    const { code, output } = repository.run([program, ...parameters]);
    expect(code).toBe(1);
    expect(output).toContain("has no `repository`, no `homepage`, no `bugs`");
  });
});

describe("first release", () => {
  it("the release workflow publishes and tags every package and writes a bill of materials for each package", () => {
    const origin = join(folder, "origin.git");
    repository.succeed(["git", "init", "--quiet", "--bare", origin]);
    repository.succeed(["git", "remote", "add", "origin", origin]);
    pushMain();
    const packed = runJob("release.yml", "pack");
    expect(packed.code, packed.output).toBe(0);
    const ended = runJob("release.yml", "publish");
    expect(ended.code, ended.output).toBe(0);
    expect(repository.succeed(["git", "ls-remote", "--tags", "origin"])).toContain(
      "refs/tags/@insurance-gateway/core@1.0.0",
    );
    expect(publishedIn(ended).toSorted()).toEqual([
      "adapter@1.0.0",
      "core@1.0.0",
      "provider-a@1.0.0",
      "provider-d@1.0.0",
      "reference@1.0.0",
      "testkit@1.0.0",
    ]);
    expect(repository.succeed(["git", "tag"])).toContain("@insurance-gateway/core@1.0.0");
    const bill = JSON.parse(
      readFileSync(
        join(repository.folder, "release/insurance-gateway-provider-d-1.0.0.cdx.json"),
        "utf8",
      ),
    );
    expect(bill.metadata.component).toMatchObject({ name: "@insurance-gateway/provider-d" });
    expect(bill.components.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      "@insurance-gateway/adapter",
      "@insurance-gateway/core",
      "@standard-schema/spec",
      "undici",
      "zod",
    ]);
    expect(use("provider-d", "core", "provider-d")).toBe("provider-d 1.0.0 core 1.0.0 function");
    const again = publish();
    expect([again.code, publishedIn(again)]).toEqual([0, []]);
    expect(again.output).toContain("The registry has @insurance-gateway/core@1.0.0");
  });

  it("a release does not change package.json files, and a published package.json has no scripts and no devDependencies", () => {
    expect(repository.succeed(["git", "status", "--porcelain"])).toBe("");
    const tarball = "release/insurance-gateway-provider-d-1.0.0.tgz";
    const [manifest, files] = [
      JSON.parse(repository.succeed(["tar", "-xzOf", tarball, "package/package.json"])),
      repository.succeed(["tar", "-tzf", tarball]).split("\n"),
    ];
    expect(manifest).not.toHaveProperty("scripts");
    expect(manifest).not.toHaveProperty("devDependencies");
    expect(manifest.dependencies.zod).toMatch(/^\^/);
    expect(files).toContain("package/LICENSE");
    expect(files).toContain("package/README.md");
  });
});

describe("releases of a provider", () => {
  it("a patch release of a provider is refused if a field of an answer becomes optional", () => {
    repository.replace(SCHEMA, "updatedAt: string;", "updatedAt?: string;");
    repository.replace(SCHEMA, "updatedAt: instant(),", "updatedAt: z.exactOptional(instant()),");
    repository.addChangeset("provider-d", "patch", "A smaller answer.");
    repository.commit();
    const { code, output } = runJob("test.yml", "release");
    expect(output).toMatch(/provider-d 1\.0\.1 is a patch after 1\.0\.0, but needs a major/);
    expect(output).toMatch(/createApplication \/responses\/201\S*updatedAt/);
    expect(code).toBe(1);
    repository.succeed(["git", "reset", "--hard", "--quiet", "HEAD~1"]);
  });

  it("the release workflow refuses a changed provider without a changeset", () => {
    repository.replace(SCHEMA, "\n", "\n// Another order.\n");
    repository.commit();
    const { code, output } = runJob("test.yml", "release");
    expect([code, output]).toEqual([1, expect.stringContaining("no changesets were found")]);
    repository.succeed(["git", "reset", "--hard", "--quiet", "HEAD~1"]);
  });

  it("a patch release of a provider publishes only this package, with the changes in the package's changelog", () => {
    repository.replace("packages/provider-d/README.md", "\n", "\n\nMore about it.\n");
    repository.addChangeset("provider-d", "patch", "The README says more.");
    expect(releaseAll()).toEqual(["provider-d@1.0.1"]);
    expect(repository.read("packages/provider-d/CHANGELOG.md")).toMatch(
      /^# @insurance-gateway\/provider-d\n\n## 1\.0\.1\n\n### Patch Changes\n\n- The README says more\.\n\n## 1\.0\.0\n/,
    );
    expect(use("provider-d", "core", "provider-d")).toBe("provider-d 1.0.1 core 1.0.0 function");
  });
});

describe("releases of core", () => {
  it("a patch release of core publishes only core, and older providers work with the new version", () => {
    repository.replace("packages/core/README.md", "\n", "\n\nMore about it.\n");
    repository.addChangeset("core", "patch", "The README says more.");
    expect(releaseAll()).toEqual(["core@1.0.1"]);
    expect(use("provider-a", "core", "provider-a")).toBe("provider-a 1.0.0 core 1.0.1 function");
  });

  it("a patch release of core is refused if core no longer exports a type", () => {
    repository.replace("packages/core/src/problems/index.ts", "  type CodeFacts,\n", "");
    repository.addChangeset("core", "patch", "One name less.");
    repository.commit();
    const { code, output } = release("--dry-run");
    expect(code).toBe(1);
    expect(output).toContain("core 1.0.2 is a patch after 1.0.1, but needs a major");
    expect(output).toContain("./problems: CodeFacts: The name is no longer exported.");
    repository.succeed(["git", "reset", "--hard", "--quiet", "HEAD~1"]);
  });

  it("a major release of core is refused if the adapter and the providers have no major release", () => {
    repository.addChangeset("core", "major", "A new beginning.");
    version();
    const { code, output } = release();
    expect(code).toBe(1);
    for (const id of ["adapter", "provider-a", "provider-d"])
      expect(output).toContain(`the new version of @insurance-gateway/${id} is not.`);
    expect(output).toContain('Add a changeset with `"@insurance-gateway/provider-a": major`');
    repository.succeed(["git", "reset", "--hard", "--quiet", "HEAD~1"]);
  });

  it("a major release of core is published together with major releases of the adapter and every provider", () => {
    const names = ["core", "adapter", "provider-a", "provider-d"];
    for (const name of names) repository.addChangeset(name, "major", "A new beginning.");
    for (const name of ["reference", "testkit"])
      repository.addChangeset(name, "patch", "Works with core 2.");
    expect(releaseAll().toSorted()).toEqual([
      "adapter@2.0.0",
      "core@2.0.0",
      "provider-a@2.0.0",
      "provider-d@2.0.0",
      "reference@1.0.1",
      "testkit@1.0.1",
    ]);
    expect(use("provider-a", "core", "provider-a")).toBe("provider-a 2.0.0 core 2.0.0 function");
  });
});

describe("releases of a new package", () => {
  it("a new package is released alone, with the version in the package's package.json", () => {
    repository.add("packages/provider-b");
    for (const peer of ["adapter", "core"])
      repository.replace(
        "packages/provider-b/package.json",
        `"@insurance-gateway/${peer}": "^1.0.0"`,
        `"@insurance-gateway/${peer}": "^2.0.0"`,
      );
    repository.succeed(["pnpm", "install", "--no-frozen-lockfile", "--prefer-offline"]);
    repository.commit();
    expect(release().output).toContain("To release: @insurance-gateway/provider-b@1.0.0");
    expect(publishedIn(publish())).toEqual(["provider-b@1.0.0"]);
    expect(use("provider-b", "core", "provider-b")).toBe("provider-b 1.0.0 core 2.0.0 function");
  });
});
