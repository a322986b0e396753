import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("../harness/no-descriptors.ts", import.meta.url));

it("the transport reports that the process has no free file descriptor, even for a host name that does not exist", () => {
  const node = [process.execPath, "--conditions=@insurance-gateway/source", "--no-warnings"];
  const command = 'ulimit -n 64 && exec "$@"';
  const printed = execFileSync("sh", ["-c", command, "sh", ...node, program], { encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([
    ["EMFILE", true],
    ["EMFILE", true],
    [expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/), false],
  ]);
});
