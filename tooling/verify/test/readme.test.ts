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

/** Adapts a block of the README to this test's gateway, which has another port and token. */
function adapted(block: string): string {
  return block
    .replaceAll("http://127.0.0.1:8080", gateway.address)
    .replaceAll("$(npm run --silent token)", gateway.token);
}

describe("the pages for newcomers", () => {
  it("the seven curl commands of docs/first-calls.md work as they are and get the documented statuses", async () => {
    const block = codeBlocks("docs/first-calls.md", "sh").find((code) => code.includes("# 7."));
    // curl reads its options from this file, so the pasted lines need no change.
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

  it("the curl command of the README works as it is", async () => {
    const block = codeBlocks("README.md", "sh").find((code) => code.includes("curl"));
    const output = await succeed(["bash", "-euc", adapted(block ?? "false")], {
      cwd: gateway.folder.path,
      env: { PATH: process.env.PATH },
    });
    expect(output).toContain('"applicationId":"D-');
  });
});

describe("docs/configuration.md", () => {
  it("a gateway starts with the configuration shown in docs/configuration.md", async () => {
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

describe("README.md", () => {
  it("the repository's README links only to documents that exist", () => {
    const text = readFileSync(join(repository, "README.md"), "utf8");
    const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(repository, link)))).toEqual([]);
  });

  it("the repository's README names only scripts that exist", () => {
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
  it("the commands of docs/submissions.md find the application after a lost answer", async () => {
    const [block = ""] = codeBlocks("docs/submissions.md", "sh");
    expect(block).toContain("sleep 5");
    // A loop that waits until the application exists, instead of the document's fixed waiting time.
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
  it("the table in docs/reconciliation.md has a correct row for every submission endpoint", async () => {
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
