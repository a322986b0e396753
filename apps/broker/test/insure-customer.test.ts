import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createGateway,
  explain,
  type GatewayOptions,
  memoryKeyStore,
} from "@insurance-gateway/core";
import { type FakeGateway, fakeGateway } from "@insurance-gateway/core/testing";
import { sandbox as sandboxA } from "@insurance-gateway/provider-a/sandbox";
import { sandbox as sandboxC } from "@insurance-gateway/provider-c/sandbox";
import { sandbox as sandboxD } from "@insurance-gateway/provider-d/sandbox";
import { sandbox as sandboxE } from "@insurance-gateway/provider-e/sandbox";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Customer } from "../src/customer.ts";
import { type InsuranceResults, insureCustomer } from "../src/insure-customer.ts";
import { summarise } from "../src/summarise.ts";

const customer: Customer = {
  caseNumber: "2026-0117",
  afm: "123456789",
  fullName: "Ελένη Παπαδοπούλου",
  birthDate: "1985-06-15",
  coverFrom: "2026-12-01",
  car: { plate: "ΙΚΥ-1234", make: "Toyota", model: "YARIS" },
};
const folder = mkdtempSync(join(tmpdir(), "broker-"));
const store = memoryKeyStore();
let fake: FakeGateway;
beforeEach(() => {
  fake = fakeGateway({ sandboxes: [sandboxA, sandboxC, sandboxD, sandboxE] });
});
afterAll(() => rmSync(folder, { recursive: true }));

function insure(options: Partial<GatewayOptions> = {}): Promise<InsuranceResults> {
  const gateway = createGateway({ ...fake.options, ...options });
  return insureCustomer(gateway, customer, { folder, store });
}

describe("the example broker", () => {
  it("the example broker program insures a customer, prints the results and saves the product document", async () => {
    const text = summarise(customer, await insure());
    expect(text).toContain("Ελένη Παπαδοπούλου, Toyota YARIS");
    expect(text).toMatch(/Application to Provider D +D-000001, RECEIVED, cover from \d{4}-/);
    expect(text).toMatch(/Applications of this customer 1\n/);
    expect(text).toMatch(/MODERATE +2\.00 % +27\.468,47\s€/);
    expect(readFileSync(join(folder, "ipid.pdf"), "latin1")).toMatch(/^%PDF-[\s\S]*%%EOF\n$/);
  });

  it("the example broker program creates only one insurance application if the program runs again after a lost answer", async () => {
    fake.loseNextAnswer({ from: "gateway", times: 3 });
    const { application: lost } = await insure();
    if (lost.outcome === "succeeded") throw new Error("The answer was not lost");
    expect(explain(lost).text).toContain("The insurer may have acted.");
    expect(explain(lost).text).toContain("Send it again");
    const { application, applications } = await insure();
    expect(application).toMatchObject({ outcome: "succeeded", replayed: true });
    expect(applications).toHaveLength(1);
  });

  it("the example broker program reports that the insurer received nothing if the gateway refuses the token", async () => {
    const failed = await insure({ token: "not.a.token" }).catch((error) => explain(error).text);
    expect(failed).toContain("UNAUTHENTICATED");
    expect(failed).toContain("The insurer got nothing.");
    expect(failed).not.toContain("not.a.token");
  });
});
