import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SandboxGateway, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "./gateway.ts";
import { program } from "./program.ts";

let gateway: SandboxGateway;

beforeAll(async () => {
  // A stopping gateway waits for submissions, and one example calls an insurer that never answers, so the timeout is
  // short.
  gateway = await startSandboxGateway({ timeouts: { submissionMs: 5_000 } });
  const shim = join(gateway.folder.path, "insurance-gateway");
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(shim, 0o700);
});
afterAll(() => gateway.stop());

/** An example in docs/command-line.md: the typed command, the output and the exit code. */
interface Example {
  readonly typed: string;
  readonly shown: string;
  readonly exitCode: number;
}

/** Returns every `sh` block with the `text` block that follows it. */
function examples(): readonly Example[] {
  const blocks = textOf("docs/command-line.md").matchAll(
    /^```sh\n(.*?)^```\n+```text\n(.*?)^```$/gms,
  );
  return [...blocks].map(([, typed = "", shown = ""]) => ({
    typed,
    shown,
    exitCode: Number(/# exits with (\d+)\n$/.exec(typed)?.[1] ?? 0),
  }));
}

/** Replaces the texts that differ between runs. */
function settled(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "INSTANT")
    .replaceAll(/^bytes +\d+$/gm, "BYTES");
}

function runInShell({ typed }: Example): Promise<{ code: number; output: string }> {
  const script = `exec 2>&1\n${typed}`;
  const { path } = gateway.folder;
  const env = { PATH: `${path}:${process.env.PATH}`, GATEWAY_URL: gateway.address };
  return new Promise((resolve) => {
    execFile("bash", ["-euc", script], { cwd: path, env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout }),
    );
  });
}

describe("docs/command-line.md", () => {
  it("each example of docs/command-line.md prints the documented output", async () => {
    const all = examples();
    expect(all.length).toBe(textOf("docs/command-line.md").match(/^```sh$/gm)?.length);
    for (const example of all) {
      const { code, output } = await runInShell(example);
      expect([example.typed, code, settled(output)]).toEqual([
        example.typed,
        example.exitCode,
        settled(example.shown),
      ]);
    }
  });
});
