import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeGatewayFolder } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";
import { problemIn } from "../harness/problem.ts";

/** The files of a provider package from outside this repository. Its insurer exchanges lines of text. */
const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "@outside/provider-z",
    version: "1.0.0",
    type: "module",
    exports: {
      ".": "./index.js",
      "./adapter": "./adapter.js",
      "./sandbox": "./sandbox.js",
      "./package.json": "./package.json",
    },
  }),
  "index.js": `
import { defineProvider, lookup, pdf, document, submission } from "@insurance-gateway/core/contract";
import { loose, strict, text } from "@insurance-gateway/core/schema";
const provider = "provider-z";
const port = () => loose({ code: text(), name: text() });
export const readHomePort = lookup({ provider, path: "/home-port", response: { 200: port() } });
export const insureVessel = submission({
  provider,
  path: "/vessels",
  body: strict({ name: text(), portCode: text() }),
  response: { 201: loose({ vesselId: text(), name: text(), portCode: text() }) },
  insurerId: "/vesselId",
});
export const providerZ = defineProvider({
  id: provider,
  name: "Provider Z",
  lines: ["marine"],
  endpoints: { readHomePort, insureVessel },
});
`,
  "adapter.js": `
export const adapter = {
  name: "lines",
  failures: [
    { status: 200, media: "text/plain", at: "/code", is: ["E7"], code: "CONFLICT", outcome: "rejected", why: "Its manual." },
  ],
  async call(endpoint, { body }, send, { submissionId }) {
    const acts = endpoint.kind === "submission";
    const line = acts ? ["INSURE", submissionId, body.name, body.portCode].join("|") : "PORT";
    const { mediaType, status, text } = await send({ method: "POST", path: "/line", body: line, headers: { "content-type": "text/plain" }, acts });
    const [word, ...values] = (await text()).split("|");
    if (mediaType !== "text/plain" || status !== 200) return { type: "refusal", status, mediaType, content: null };
    if (word === "NO") return { type: "refusal", status, mediaType, content: { code: values[0] } };
    if (word === "PORT") return { type: "value", status: 200, value: { code: values[0], name: values[1] } };
    if (word === "INSURED") return { type: "value", status: 201, value: { vesselId: values[0], name: values[1], portCode: values[2] } };
    return { type: "unreadable", status, detail: "The insurer's line is not known." };
  },
};
`,
  "sandbox.js": `
import { defineSandbox } from "@insurance-gateway/adapter/sandbox";
import { providerZ } from "./index.js";
const line = (text) => ({ status: 200, headers: { "content-type": "text/plain" }, body: text });
export const sandbox = defineSandbox({
  provider: providerZ,
  seed: [],
  scenarios: [],
  handlers: {
    readHomePort: () => ({ status: 200, body: { code: "PIR", name: "Πειραιάς" } }),
    insureVessel({ input: { body }, reference }, records) {
      if (body.portCode !== "PIR") return { status: 409, problem: { code: "E7", detail: "No such port." } };
      const vesselId = "Z-" + (records.length + 1);
      return { status: 201, body: { vesselId, ...body }, keep: [{ id: vesselId, reference }] };
    },
  },
  dialect: {
    credentials: [{ type: "headers", headers: { "x-line-key": "z" } }],
    refuse: ({ headers }) => (headers["x-line-key"] === "z" ? null : { status: 401 }),
    routes: [{
      method: "POST",
      path: "/line",
      read({ body }) {
        const [word, reference, name, portCode] = body.split("|");
        if (word === "PORT") return { call: { endpoint: "readHomePort", input: {} } };
        return { call: { endpoint: "insureVessel", input: { body: { name, portCode } }, reference } };
      },
      write(answer) {
        if ("problem" in answer) return line("NO|" + answer.problem.code);
        const { code, name, portCode, vesselId } = answer.body;
        return line(vesselId ? ["INSURED", vesselId, name, portCode].join("|") : ["PORT", code, name].join("|"));
      },
    }],
  },
});
`,
};

let gateway: GatewayInProcess;
beforeAll(async () => {
  const folder = makeGatewayFolder();
  const modules = join(folder.path, "node_modules");
  const packages = fileURLToPath(new URL("../../../../packages", import.meta.url));
  for (const name of ["core", "adapter"])
    symlinkSync(join(packages, name), join(modules, "@insurance-gateway", name));
  mkdirSync(join(modules, "@outside", "provider-z"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(modules, "@outside", "provider-z", name), content);
  const configuration = {
    providers: [{ package: "@outside/provider-z", upstream: "sandbox" }],
    reference: { served: false },
  };
  gateway = await startInProcess(configuration, {}, { folder });
});
afterAll(() => gateway.stop());

function call(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${gateway.address}/provider-z${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("a provider package from outside the repository", () => {
  it("the gateway serves a provider whose package, with its own dialect, is outside the repository", async () => {
    const port = await call("GET", "/home-port");
    expect([port.status, await port.json()]).toEqual([200, { code: "PIR", name: "Πειραιάς" }]);
    const vessel = await call("POST", "/vessels", { name: "Ήρα", portCode: "PIR" });
    expect([vessel.status, await vessel.json()]).toEqual([
      201,
      { vesselId: "Z-1", name: "Ήρα", portCode: "PIR" },
    ]);
  });

  it("the gateway recognises an insurer's refusal by the `failures` of a provider package from outside the repository", async () => {
    const refused = await call("POST", "/vessels", { name: "Ήρα", portCode: "XXX" });
    expect(await problemIn(refused)).toMatchObject({ code: "CONFLICT", outcome: "rejected" });
  });
});
