import { sandboxConfiguration, startSandboxGateway } from "@insurance-gateway/running-gateway";
import { sendRequest, specificationRequests } from "@insurance-gateway/specification";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startInProcess } from "../harness/gateway-in-process.ts";

/** The required content of each answer, besides status and media type. */
const contents: Readonly<Record<string, (body: never) => void>> = {
  listBrands: ({ items }: { items: { name: string }[] }) => {
    expect(items.map(({ name }) => name)).toContain("Toyota");
  },
  listCountries: ({ items }: { items: { code: string; nameEl: string }[] }) => {
    expect(items).toHaveLength(249);
    expect(items.find(({ code }) => code === "GR")?.nameEl).toBe("Ελλάδα");
  },
  listVehicleUsages: ({ items }: { items: { category: string }[] }) => {
    expect(items.map(({ category }) => category)).toContain("TAXI");
  },
  createApplication: (application: { status: string; holder: { afm: string } }) => {
    expect(application).toMatchObject({ status: "RECEIVED", holder: { afm: "123456789" } });
  },
  calculatePensionQuote: (quote: { totalContributions: string; currency: string }) => {
    expect(quote).toMatchObject({ totalContributions: "24000.00", currency: "EUR" });
  },
  searchApplications: (page: { items: unknown[]; total: number }) => {
    expect(page).toMatchObject({ start: 1, limit: 20, total: 1 });
    expect(page.items).toHaveLength(1);
  },
};

interface Served {
  readonly address: string;
  readonly token: string;
  stop(): Promise<unknown>;
}

const levels: Readonly<Record<string, () => Promise<Served>>> = {
  "a gateway in the test's process": () => startInProcess(sandboxConfiguration),
  "the built gateway": startSandboxGateway,
};

describe.each(Object.entries(levels))(
  "the seven requests of the specification to %s",
  (_, start) => {
    let served: Served;
    beforeAll(async () => {
      served = await start();
    });
    afterAll(() => served.stop());

    it.each(specificationRequests())(
      "the gateway answers $method $path (endpoint $number) as specified",
      async (request) => {
        const response = await sendRequest(served.address, served.token, request);

        expect(response.status).toBe(request.status);
        expect(response.headers.get("content-type")).toContain(request.mediaType);
        expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
        if (request.mediaType === "application/json")
          // The table has a function with the right parameter type for each endpoint.
          contents[request.endpoint]?.((await response.json()) as never);
        else {
          const pdf = Buffer.from(await response.arrayBuffer());
          expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
          expect(response.headers.get("content-disposition")).toBe(
            'attachment; filename="ipid.pdf"',
          );
          expect(response.headers.get("cache-control")).toBe("private");
          expect(response.headers.get("etag")).toMatch(/^"[\w-]+"$/);
        }
      },
    );
  },
);
