import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  makeGatewayFolder,
  type SandboxGateway,
  startGatewayProcess,
  startSandboxGateway,
} from "@insurance-gateway/running-gateway";
import { specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks, repository } from "./harness/markdown.ts";
import { succeed } from "./harness/run.ts";

let gateway: SandboxGateway;
beforeAll(async () => {
  gateway = await startSandboxGateway();
});
afterAll(async () => {
  await gateway.stop();
});

/** A block of the README for the gateway of this test, which has another port and token command. */
function adapted(block: string): string {
  return block
    .replaceAll("http://127.0.0.1:8080", gateway.address)
    .replaceAll("$(npm run --silent token)", gateway.token);
}

describe("the documents for a newcomer", () => {
  it("have curl lines for the seven calls that work pasted", async () => {
    const block = codeBlocks("docs/first-calls.md", "sh").find((code) => code.includes("# 7."));
    // curl reads this file by itself: the pasted lines stay as they are.
    const told = 'silent\nshow-error\nwrite-out = "\\n%{http_code} %{content_type}\\n"\n';
    writeFileSync(join(gateway.folder.path, ".curlrc"), told);
    const output = await succeed(["bash", "-euc", adapted(block ?? "false")], {
      cwd: gateway.folder.path,
      env: { PATH: process.env.PATH, CURL_HOME: gateway.folder.path },
    });
    const answers = output.match(/^\d{3} application\/\w+/gm);
    expect(answers).toEqual(
      specificationRequests().map(({ mediaType, status }) => `${status} ${mediaType}`),
    );
    expect(readFileSync(join(gateway.folder.path, "ipid.pdf")).subarray(0, 5).toString()).toBe(
      "%PDF-",
    );
  });

  it("have one call that works pasted", async () => {
    const block = codeBlocks("README.md", "sh").find((code) => code.includes("curl"));
    const output = await succeed(["bash", "-euc", adapted(block ?? "false")], {
      cwd: gateway.folder.path,
      env: { PATH: process.env.PATH },
    });
    expect(output).toContain('"applicationId":"D-');
  });
});

describe("docs/configuration.md", () => {
  it("has a configuration that the gateway takes", async () => {
    const block =
      codeBlocks("docs/configuration.md", "json").find((code) => code.includes("issuers")) ?? "";
    const real = makeGatewayFolder(JSON.parse(block));
    const served = await startGatewayProcess(real.path, {
      HOST: "127.0.0.1",
      PROVIDER_D_KEY: "secret",
      PROVIDER_D_USERNAME: "agent",
      PROVIDER_D_PASSWORD: "secret",
      SUBMISSIONS_KEY: randomBytes(32).toString("base64"),
    });
    expect((await served.stop()).code).toBe(0);
    real.remove();
  });
});

describe("the README", () => {
  it("names only documents that exist", () => {
    const text = readFileSync(join(repository, "README.md"), "utf8");
    const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(repository, link)))).toEqual([]);
  });

  it("names only scripts that exist", () => {
    const text = readFileSync(join(repository, "README.md"), "utf8");
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(repository, "package.json"), "utf8"),
    );
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(
      ([, name = ""]) => name,
    );
    expect(named).toContain("token");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe("docs/submissions.md", () => {
  it("shows how a lost answer is found again, with lines that work pasted", async () => {
    const [block = ""] = codeBlocks("docs/submissions.md", "sh");
    expect(block).toContain("sleep 5");
    // As long as it takes, instead of what is long enough for a reader.
    const untilFound = "until apply | grep -q applicationId; do sleep 0.2; done";
    const output = await succeed(
      ["bash", "-eu", "-c", adapted(block).replace(/^sleep 5.*$/m, untilFound)],
      { cwd: gateway.folder.path, env: { PATH: process.env.PATH } },
    );
    const [unknown, ...found] = output.match(/"(code|applicationId)":"[^"]*"/g) ?? [];
    expect(unknown).toBe('"code":"OUTCOME_UNKNOWN"');
    expect(found.at(-1)).toMatch(/^"applicationId":"D-\d{6}"$/);
  });
});

describe("docs/reconciliation.md", () => {
  it("has a row for every submission endpoint", async () => {
    const script = `
      import { existsSync, readdirSync } from "node:fs";
      const rows = [];
      for (const name of readdirSync("packages").filter((folder) => folder.startsWith("provider-"))) {
        const provider = Object.values(await import(process.cwd() + "/packages/" + name + "/dist/index.js")).find(
          (value) => value?.contract !== undefined);
        const module = process.cwd() + "/packages/" + name + "/dist/adapter.js";
        const { adapter } = existsSync(module) ? await import(module) : {};
        for (const [endpoint, declared] of Object.entries(provider?.endpoints ?? {}))
          if (declared.kind === "submission") {
            const search = provider.endpoints[declared.reconcile?.endpoint];
            const isByReference = adapter?.findsByReference?.(search) === true;
            rows.push([provider.id, endpoint, declared.idempotency, declared.reconcile?.endpoint, isByReference, declared.settleAfterMs]);
          }
      }
      console.log(JSON.stringify(rows));`;
    const output = await succeed(["node", "--input-type=module", "-e", script], {
      cwd: repository,
    });
    const declared: [string, string, string, string, boolean, number][] = JSON.parse(output);
    const rows = declared.map(
      ([provider, endpoint, idempotency, search, isByReference, settleAfterMs]) => {
        const found = `${isByReference ? "our reference, then " : ""}\`${search}\``;
        return `| ${provider} | \`${endpoint}\` | \`${idempotency}\` | ${found} | ${settleAfterMs / 1_000} s |`;
      },
    );
    expect(rows.length).toBeGreaterThan(0);
    const text = readFileSync(join(repository, "docs/reconciliation.md"), "utf8");
    expect(text.match(/^\| provider-\S+ \|.*$/gm)).toEqual(rows);
  });
});
