import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** Calls providers D and E through their adapters, and prints the sent requests and the translated answers. */
const program = `
import { callAdapter } from "@insurance-gateway/testkit";
import { adapter as d } from "@insurance-gateway/provider-d/adapter";
import { createApplication } from "@insurance-gateway/provider-d";
const { adapter: e } = await import(${url("provider-e/dist/adapter.js")});
const { calculatePensionQuote } = await import(${url("provider-e/dist/index.js")});
const body = {
  policy: { startDate: "2026-03-29", endDate: "2026-10-25" },
  vehicle: { plateNumber: "ΙΚΥ-0012", manufacturerCode: "007", modelCode: "00" },
  holder: { afm: "000000012", fullName: "Ήρα Ώρα" },
};
const theirs = {
  applicationNumber: "0001", state: "PREPAY", remarks: [],
  contract: { validFrom: "2026-03-29", validTo: "2026-10-25" },
  vehicle: { licensePlate: "ΙΚΥ-0012", makeCode: "007", model: "00" },
  policyholder: { taxNumber: "000000012", name: "Ήρα Ώρα" },
  prepay: { paymentCode: "RF001", payUntil: "2026-01-01" },
  submittedAt: "2026-03-29T03:30:00+03:00", changedAt: "2026-10-25T00:30:00Z",
};
const created = await callAdapter(d, createApplication, { body }, [{ status: 201, body: JSON.stringify(theirs) }], { submissionId: "our-id" });
const dates = ["1985-04-12", "2000-02-29", "1950-01-01", "1999-12-31", "2026-03-29", "2026-10-25"];
const asked = [];
for (const personDob of dates) {
  const request = { personDob, monthlyContribution: 100, durationYears: 20 };
  const { sent } = await callAdapter(e, calculatePensionQuote, { body: request }, [{ body: "{}" }]);
  asked.push(JSON.parse(sent[0].body).birthDate);
}
console.log(JSON.stringify({ sent: JSON.parse(created.sent[0].body), answer: created.answer.value, asked }));
`;

function url(path: string): string {
  return JSON.stringify(new URL(`../../../../packages/${path}`, import.meta.url).href);
}

const run = promisify(execFile);

it.each(["Europe/Athens", "America/Los_Angeles", "Pacific/Kiritimati"])(
  "dates, tax numbers, leading zeros and Greek plates do not depend on the process's time zone: %s",
  async (zone) => {
    const cwd = new URL("../..", import.meta.url);
    const parameters = ["--input-type=module", "-e", program];
    const { stdout } = await run(process.execPath, parameters, {
      cwd,
      env: { ...process.env, TZ: zone },
    });
    const { answer, asked, sent } = JSON.parse(stdout);
    expect(asked).toEqual([
      "12/04/1985",
      "29/02/2000",
      "01/01/1950",
      "31/12/1999",
      "29/03/2026",
      "25/10/2026",
    ]);
    expect(sent).toEqual({
      contract: { validFrom: "2026-03-29", validTo: "2026-10-25" },
      vehicle: { licensePlate: "ΙΚΥ-0012", makeCode: "007", model: "00" },
      policyholder: { taxNumber: "000000012", name: "Ήρα Ώρα" },
      externalReference: "our-id",
    });
    expect(answer).toMatchObject({
      applicationId: "0001",
      policy: { startDate: "2026-03-29", endDate: "2026-10-25" },
      vehicle: { plateNumber: "ΙΚΥ-0012", manufacturerCode: "007", modelCode: "00" },
      holder: { afm: "000000012", fullName: "Ήρα Ώρα" },
      payment: { dueDate: "2026-01-01" },
      createdAt: "2026-03-29T00:30:00.000Z",
      updatedAt: "2026-10-25T00:30:00.000Z",
    });
  },
);
