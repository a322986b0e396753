import { sandboxConfiguration } from "@insurance-gateway/running-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayInProcess, startInProcess } from "../harness/gateway-in-process.ts";

let gateway: GatewayInProcess;

beforeAll(async () => {
  gateway = await startInProcess(sandboxConfiguration);
});
afterAll(() => gateway.stop());

/** Returns `path: Greek label` for every field in a schema. A missing label is an empty text. */
function labelsBelow(document: object, schema: object, path: string): readonly string[] {
  const [, component] = /^#\/components\/schemas\/(\w+)$/.exec(Reflect.get(schema, "$ref")) ?? [];
  if (component !== undefined) {
    const { components } = Object(document);
    return labelsBelow(document, components.schemas[component], path);
  }
  const { anyOf = [], items, properties = {} } = Object(schema);
  const fields: readonly (readonly [string, object])[] = Object.entries(properties);
  return [
    ...[...anyOf, ...(items === undefined ? [] : [items])].flatMap((inner: object) =>
      labelsBelow(document, inner, path),
    ),
    ...fields.flatMap(([name, field]) => [
      `${path}/${name}: ${Object(field)["x-labels"]?.el ?? ""}`,
      ...labelsBelow(document, field, `${path}/${name}`),
    ]),
  ];
}

describe("the OpenAPI documents of the seven endpoints", () => {
  it("the providers' OpenAPI documents have a Greek label for every parameter and every field", async () => {
    const labels: string[] = [];
    for (const letter of ["a", "b", "c", "d", "e"]) {
      const address = `${gateway.address}/reference/providers/provider-${letter}/openapi.json`;
      const document = Object(await (await fetch(address)).json());
      for (const item of Object.values<object>(document.paths))
        for (const operation of Object.values<Record<string, never>>(Object(item))) {
          const { operationId, parameters = [], requestBody, responses } = Object(operation);
          for (const parameter of parameters)
            labels.push(`${operationId} ${parameter.name}: ${parameter["x-labels"]?.el ?? ""}`);
          const success = Object.keys(responses).find((status) => status.startsWith("2"));
          for (const body of [requestBody, responses[success ?? ""]])
            for (const { schema } of Object.values<{ schema: object }>(body?.content ?? {}))
              labels.push(...labelsBelow(document, schema, operationId));
        }
    }
    expect(labels).toContain("createApplication/vehicle/plateNumber: Αριθμός κυκλοφορίας");
    expect(labels).toContain("searchApplications start: Θέση πρώτου αποτελέσματος");
    expect(labels.length).toBeGreaterThan(70);
    expect(labels.filter((label) => !/: .*[Α-Ωα-ω]{2}/.test(label))).toEqual([]);
  });
});
