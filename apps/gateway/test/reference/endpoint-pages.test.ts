import type { ScenarioList } from "@insurance-gateway/core/runtime";
import type { JsonSchema, OpenApiDocument, Operation } from "@insurance-gateway/reference";
import { operationsOf } from "@insurance-gateway/reference";
import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";

let gateway: GatewayInProcess;

beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

async function read(path: string): Promise<string> {
  const response = await fetch(`${gateway.address}/reference${path}`);
  expect(response.status, path).toBe(200);
  return response.text();
}

const providers = ["a", "b", "c", "d", "e"].map((letter) => `provider-${letter}`);

async function documentOf(provider: string): Promise<OpenApiDocument> {
  return JSON.parse(await read(`/providers/${provider}/openapi.json`));
}

/** Returns the paths of all fields in a schema, such as `items[].policy.startDate`. */
function pathsWithin(schema: JsonSchema, document: OpenApiDocument, path = ""): readonly string[] {
  const { $ref, anyOf = [], items, properties = {} } = schema;
  const name = $ref?.replace("#/components/schemas/", "") ?? "";
  const target = document.components.schemas[name];
  return [
    ...(target === undefined ? [] : pathsWithin(target, document, path)),
    ...anyOf.flatMap((one) => pathsWithin(one, document, path)),
    ...(items === undefined ? [] : pathsWithin(items, document, `${path}[]`)),
    ...Object.entries(properties).flatMap(([field, one]) => {
      const place = path === "" ? field : `${path}.${field}`;
      return [place, ...pathsWithin(one, document, place)];
    }),
  ];
}

function fieldsOf(operation: Operation, document: OpenApiDocument): readonly string[] {
  const { parameters = [], requestBody, responses } = operation;
  const within = (
    part: string,
    content: Readonly<Record<string, { readonly schema: JsonSchema }>>,
  ): readonly string[] =>
    Object.values(content).flatMap(({ schema }) =>
      pathsWithin(schema, document).map((path) => `${part}.${path}`),
    );
  return [
    ...parameters.map(({ in: place, name }) => `${place}.${name}`),
    ...within("body", requestBody?.content ?? {}),
    ...Object.entries(responses).flatMap(([status, response]) =>
      "content" in response ? within(status, response.content ?? {}) : [],
    ),
  ];
}

describe.each(providers)("the pages of %s in the reference", (provider) => {
  it("a provider's page lists every endpoint, and each endpoint's page shows all fields, problems and scenarios", async () => {
    const document = await documentOf(provider);
    const home = await read(`/providers/${provider}`);
    const { items: scenarios }: ScenarioList = Object(
      await (await gateway.ask("/sandbox/scenarios")).json(),
    );
    for (const { method, operation, path } of operationsOf(document)) {
      const address = `/providers/${provider}/${operation.operationId}`;
      expect(home).toContain(`href="/reference${address}"`);
      const page = await read(address);
      expect(page.replaceAll("&#39;", "'")).toContain(operation.summary);
      expect(page.replaceAll("<wbr>", "")).toContain(`${method}</span> <code>${path}</code>`);
      for (const field of fieldsOf(operation, document))
        expect(page, `${address} ${field}`).toContain(`id="${field}"`);
      const codes = Object.values(operation.responses).flatMap((response) => {
        const name = "$ref" in response ? response.$ref.replace(/.*\//, "") : "";
        return Object.keys(document.components.responses[name]?.["x-outcome"] ?? {});
      });
      expect(codes).toContain("UNAUTHENTICATED");
      for (const code of codes) expect(page).toContain(`href="/reference/errors/${code}"`);
      const own = scenarios.filter(
        ({ endpoint, provider: of }) => of === provider && endpoint === operation.operationId,
      );
      if (operation.operationId === "createApplication") expect(own).not.toEqual([]);
      for (const { name } of own) expect(page).toContain(`id="scenario.${name}"`);
    }
  });
});

describe("an endpoint's page in the reference", () => {
  it("an endpoint's page shows the allowed values, the limits and the null values of fields", async () => {
    const page = await read("/providers/provider-d/createApplication");
    const entryOf = (id: string): string => page.split(`id="${id}"`)[1]?.split("<li")[0] ?? "";
    expect(entryOf("201.premium")).toContain("object or null");
    expect(entryOf("201.policy.policyNumber")).toContain("string or null");
    expect(entryOf("201.status")).toContain("<code>DECLINED</code>");
    expect(entryOf("body.holder.afm")).toContain("9 digits");
    expect(entryOf("body.policy")).toContain("must be after startDate");
    expect(entryOf("body.holder.fullName")).toContain("Ελένη Παπαδοπούλου");
  });

  it("an endpoint's page shows the endpoint's call in eleven languages, without an example of a file", async () => {
    const page = await read("/providers/provider-c/downloadIpid");
    for (const language of ["TypeScript", "curl", "Python", "C#", "Rust"])
      expect(page).toContain(`value="${language}"`);
    expect(page.match(/name="language"/g)).toHaveLength(11);
    expect(page).toContain("application/pdf");
    expect(page).not.toContain("<code>null</code>");
  });
});
