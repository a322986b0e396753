import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canaries, seeking } from "../../canaries/canary.ts";
import { runsInProcess } from "../../harness/command-line.ts";
import { type DriftSite, startDriftSite } from "./drift-site.ts";
import { declaredPage, quotation, soapAnswer, usagesWith } from "./insurer-contents.ts";

const { afm, dateOfBirth, fullName, plateNumber } = canaries;
const seek = seeking([afm, fullName, dateOfBirth, plateNumber]);

/** Creates a search's page with customer data in every place: values, names of fields, keys and parts of texts. */
function pageOfCanaries(isBroken: boolean): object {
  const encoded = Buffer.from(`${afm} ${fullName}`).toString("base64");
  const [item] = Reflect.get(declaredPage, "items");
  const planted = {
    [afm]: fullName,
    [fullName]: { [afm]: plateNumber, deeper: [{ [plateNumber]: afm }] },
    [plateNumber]: [afm, Number(afm)],
    [encoded]: encoded,
    [`name-${fullName}`]: true,
    ["a".repeat(41)]: afm,
  };
  return {
    ...declaredPage,
    items: [
      {
        ...item,
        ...planted,
        applicationId: afm,
        status: isBroken ? Number(afm) : afm,
        statusReasons: [{ code: afm, message: fullName, source: fullName, ...planted }],
        vehicle: { ...item.vehicle, plateNumber, modelCode: encoded, ...planted },
        holder: { afm, fullName, ...planted },
        documents: [{ type: encoded, ...planted }],
      },
    ],
  };
}

describe("the drift watch", () => {
  let site: DriftSite;
  beforeAll(async () => {
    site = await startDriftSite();
  });
  afterAll(() => site.stop());

  it("the drift watch shows and stores no personal data, even if the insurer uses personal data as field names", async () => {
    expect(await site.call("declared", pageOfCanaries(false))).toBe(200);
    expect(await site.call("declared", pageOfCanaries(true))).toBe(502);
    await site.call("declared", `{"${afm}":"${fullName}"`);
    const xml = usagesWith([afm, fullName, plateNumber]);
    expect(await site.call("usages", soapAnswer(xml))).toBe(200);
    await site.call(
      "usages",
      soapAnswer(xml.replaceAll(/q:(usageCode|descriptionEn)>/g, `q:_${afm}>`)),
    );
    const found = await site.found();
    expect(found).toContainEqual(
      expect.objectContaining({ pointer: "/items/*/holder/*", kind: "added", breaking: false }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ pointer: "/items/*/status", kind: "type", breaking: true }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ segment: "provider-c", kind: "added", breaking: false }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ segment: "provider-c", kind: "missing", breaking: true }),
    );
    expect(seek(JSON.stringify(found))).toBeNull();
    const { gateway } = site;
    const metrics = await (await fetch(`${gateway.operationsAddress}/metrics`)).text();
    expect(metrics).toMatch(
      /insurance_gateway_drift_differences_total\{provider="declared",endpoint="searchApplications",kind="type",breaking="true"\} 1/,
    );
    expect(seek(metrics)).toBeNull();
    expect(gateway.log.filter((line) => seek(line) !== null)).toEqual([]);
    for (const file of readdirSync(join(gateway.folder.path, "data")))
      if (file.includes("sqlite")) {
        const bytes = readFileSync(join(gateway.folder.path, "data", file));
        expect(seek(bytes.toString("latin1")) ?? seek(bytes.toString()), file).toBeNull();
      }
  });

  it("the command `insurance-gateway drift` prints the differences, and exits with code 6 if a difference is breaking", async () => {
    const { gateway } = site;
    await site.call("quote", { ...quotation, taxPercent: "1" });
    await site.call("quote", { ...quotation, age: "41" });
    await site.found();
    const run = runsInProcess({ folder: gateway.folder.path, address: gateway.address });
    const from = ["--from", gateway.operationsAddress];
    const table = await run(["drift", ...from]);
    expect(table.stdout).toMatch(
      /provider-e +calculatePensionQuote +\/taxPercent +added +no +1 +\d{4}-/,
    );
    expect(table.code).toBe(6);
    const json = await run(["drift", "--json", "--hours", "1", ...from]);
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ pointer: "/age", kind: "type", breaking: true, count: 1 }),
    );
  });

  it("the drift watch lists a repeated difference only once, with the number and the first and last times of the difference", async () => {
    const before = await site.found();
    const isTax = ({ pointer }: { readonly pointer: string }): boolean => pointer === "/taxPercent";
    const first = before.find(isTax);
    site.time.forward(60_000);
    await site.call("quote", { ...quotation, taxPercent: "1" });
    const again = (await site.found()).find(isTax);
    expect(again?.count).toBe((first?.count ?? 0) + 1);
    expect(again?.firstAt).toBe(first?.firstAt);
    expect(Date.parse(again?.lastAt ?? "") - Date.parse(first?.lastAt ?? "")).toBeGreaterThan(0);
  });
});

describe("a drift watch without sampling", () => {
  it("the drift watch compares only unusable answers if `samplePercent` is 0", async () => {
    const site = await startDriftSite({ drift: { samplePercent: 0 } });
    try {
      await site.call("quote", { ...quotation, taxPercent: "1" });
      expect(await site.found()).toEqual([]);
      await site.call("quote", { ...quotation, age: "41" });
      expect(await site.found()).toEqual([
        expect.objectContaining({ pointer: "/age", kind: "type", breaking: true, count: 1 }),
      ]);
    } finally {
      await site.stop();
    }
  });

  it("the command `insurance-gateway drift` exits with code 0 and reports no difference if every answer fits the declaration", async () => {
    const site = await startDriftSite();
    try {
      const run = runsInProcess({
        folder: site.gateway.folder.path,
        address: site.gateway.address,
      });
      const { code, stdout } = await run(["drift", "--from", site.gateway.operationsAddress]);
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: "No answer differs from its declaration.\n",
      });
    } finally {
      await site.stop();
    }
  });
});
