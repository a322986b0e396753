import { afterEach, describe, expect, it } from "vitest";
import {
  applicationBody,
  createApplicationsInsurer,
  submitApplication,
} from "../harness/applications.ts";
import {
  type GatewayInProcess,
  insurerConfiguration,
  startInProcess,
} from "../harness/gateway-in-process.ts";
import { type HeldTime, holdTime } from "../harness/held-time.ts";
import { type Insurer, startInsurer } from "../harness/insurer.ts";
import { problemIn } from "../harness/problem.ts";

const CUSTOMER = "123456789";
const APPLICATIONS = 25_000;
const MINUTE = 60_000;

let time: HeldTime;
let insurer: Insurer;
let gateway: GatewayInProcess;
afterEach(async () => {
  await gateway.stop();
  await insurer.close();
});

/**
 * Starts an insurer whose customer has 25,000 applications. The insurer executes each submission and then breaks the
 * connection. The insurer writes plates in Latin capitals without a dash.
 * @param apartMs - time between two of the 25,000 applications, in milliseconds
 */
async function start(apartMs: number): Promise<void> {
  time = holdTime();
  const begin = time.now();
  const { execute } = createApplicationsInsurer(() => new Date(time.now()));
  const created: object[] = [];
  const numberOf = (query: URLSearchParams, name: string): number => Number(query.get(name));
  insurer = await startInsurer((response, { body, method, url }) => {
    if (method === "POST") {
      const application = Object(JSON.parse(String(execute({ body, method, query: "" }).body)));
      const vehicle = { ...application.vehicle, plateNumber: "IKY1234" };
      created.push({ ...application, applicationId: "D-NEWEST", vehicle });
      return void response.destroy();
    }
    const query = new URLSearchParams(url.split("?")[1]);
    const [start, limit] = [numberOf(query, "start"), numberOf(query, "limit")];
    const total = APPLICATIONS + created.length;
    const older = (position: number): object => {
      const age = position - created.length + 1;
      const item = Object(created.at(-1));
      return {
        ...item,
        applicationId: `D-${APPLICATIONS - age}`,
        vehicle: { ...item.vehicle, plateNumber: `OLD${age}` },
        createdAt: new Date(begin - age * apartMs).toISOString(),
      };
    };
    const items = Array.from({ length: Math.min(limit, total - start + 1) }, (_, index) => {
      const position = start - 1 + index;
      return created[position] ?? older(position);
    });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ items, start, limit, total }));
  });
  const provider = insurerConfiguration("d", insurer.baseUrl);
  gateway = await startInProcess({ providers: [provider] }, {}, { time });
}

describe("a customer with 25,000 applications", () => {
  it.each([
    ["one application each ten minutes, one page", 10 * MINUTE, 1],
    ["one application each second, four pages", 1_000, 4],
  ])(
    "the gateway finds a submission in the first pages of a long list: %s",
    async (_, apartMs, pages) => {
      await start(apartMs);
      const refused = await submitApplication(gateway, applicationBody(CUSTOMER, "ικυ 1234"));
      const { reconciliation } = await problemIn(refused);
      time.forward(2_000);
      await time.tick();

      expect(insurer.arrivals.filter(({ method }) => method === "GET")).toHaveLength(pages);
      const { href } = Object(reconciliation);
      const status = await gateway.ask(`${href}`);
      expect(await status.json()).toMatchObject({ state: "succeeded", insurerId: "D-NEWEST" });
    },
  );
});
