import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { json } from "../harness/replies.ts";
import { scriptedServer } from "../harness/scripted-server.ts";

const execute = promisify(execFile);
const program = fileURLToPath(new URL("../harness/without-undici.ts", import.meta.url));
const brands = { items: ["Toyota"] };
const noVariables = { HTTP_PROXY: "", http_proxy: "", NO_PROXY: "", no_proxy: "" };

async function callWithout(
  code: string,
  baseUrl: string,
  options: object = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const node = ["--conditions=@insurance-gateway/source", "--no-warnings", program];
  const parameters = [...node, code, baseUrl, JSON.stringify(options)];
  const env = { ...process.env, ...noVariables, ...variables };
  const { stdout } = await execute(process.execPath, parameters, { env });
  return JSON.parse(stdout);
}

/** Returns the result of one attempt that sent nothing and whose cause a person must correct. */
const toBeCorrected = (reason: string): unknown => ({
  result: {
    message: expect.stringMatching(`UNDICI_NOT_LOADED: .*${reason}.*install`),
    outcome: "not_sent",
    retry: "never",
  },
  attempts: 1,
});

describe("a client on Node without the package undici", () => {
  it("the client uses `fetch` if undici is not installed", async () => {
    const server = await scriptedServer(json(brands));
    const made = await callWithout("ERR_MODULE_NOT_FOUND", server.address);
    expect(made).toEqual({ result: brands, attempts: 1 });
  });

  it("a call fails if the environment names a proxy and undici is not installed", async () => {
    const made = callWithout(
      "ERR_MODULE_NOT_FOUND",
      "http://gateway.test",
      {},
      {
        http_proxy: "http://proxy.test:3128",
      },
    );
    expect(await made).toEqual(toBeCorrected("a proxy is not available over fetch"));
  });

  it("a call fails if undici is not installed and an option is set that `fetch` does not support", async () => {
    const options = { connectTimeout: 500 };
    const made = await callWithout("ERR_MODULE_NOT_FOUND", "http://gateway.test", options);
    expect(made).toEqual(toBeCorrected("connectTimeout is not available over fetch"));
  });
});

it("a call fails without a retry and names the reason if Node cannot load undici", async () => {
  const made = await callWithout("ERR_UNKNOWN_BUILTIN_MODULE", "http://gateway.test");
  expect(made).toEqual(toBeCorrected("ERR_UNKNOWN_BUILTIN_MODULE"));
});
