import { randomUUID } from "node:crypto";
import { calculatePensionQuote } from "@insurance-gateway/provider-e/examples";

/** A measured kind of work: the callers' requests and the insurer's answers. */
export interface Work {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** The path at the gateway and at every other proxy. */
  readonly path: string;
  readonly status: number;
  /** True if the gateway can answer from memory. */
  readonly isLookup: boolean;
  /** Returns a random body from 10,000 or more different ones; null for a request without a body. */
  readonly body: () => object | null;
  /** Returns a random answer of the insurer from 10,000 or more with the same fields. */
  readonly answer: (request: string) => { readonly type: string; readonly body: string | Buffer };
}

/** All measured works. */
const works: readonly Work[] = [
  quote(),
  lookup(),
  list(),
  submission(),
  document(),
  largeDocument(),
  search(),
];

/** Finds the work for a path at the insurer. The adapter removes the provider's segment from the path. */
export function workForPath(address: string): Work | undefined {
  const [path = ""] = address.split("?");
  return (
    works.find((work) => work.path.endsWith(address)) ??
    works.find((work) => work.path.split("?")[0]?.endsWith(path))
  );
}

/** Finds a work by name; throws an Error that lists the names. */
export function workNamed(name: string): Work {
  const found = works.find((work) => work.name === name);
  if (found !== undefined) return found;
  throw new Error(`The works are ${works.map((work) => work.name).join(", ")}; not ${name}`);
}

/** The number of items from which answers take a part, so that there are more than 10,000 different answers. */
const ITEMS_IN_POOL = 12_000;

function quote(): Work {
  const example = Object.values(calculatePensionQuote)[0]?.response;
  return {
    name: "quote",
    isLookup: false,
    method: "POST",
    path: "/provider-e/life/core/fast-pension-quote",
    status: 200,
    body: () => ({
      personDob: "1985-04-12",
      monthlyContribution: cents(1, 1_000),
      durationYears: 10 + upTo(30),
    }),
    answer: () =>
      json({
        ...example,
        monthlyContribution: cents(1, 1_000).toFixed(2),
        totalContributions: cents(10_000, 90_000).toFixed(2),
        scenarios: ["UNFAVOURABLE", "MODERATE", "FAVOURABLE"].map((name) => ({
          name,
          annualReturnPercent: cents(0, 9).toFixed(2),
          capitalAtMaturity: cents(10_000, 90_000).toFixed(2),
          monthlyPension: cents(100, 900).toFixed(2),
        })),
      }),
  };
}

/** A lookup of 2 kB. */
function lookup(): Work {
  const brands = poolOf((number) => ({ code: `B${number}`, name: `Manufacturer ${number}` }));
  return {
    name: "lookup",
    isLookup: true,
    method: "GET",
    path: "/provider-a/auto/brands",
    status: 200,
    body: () => null,
    answer: () => listOf(brands, 45),
  };
}

/** A list of 29 kB. */
function list(): Work {
  const countries = poolOf((number) => ({
    code: letters(number, 2),
    alpha3: letters(number, 3),
    name: `Country of the number ${number}`,
    nameEl: `Χώρα ${number}`,
    zone: ["GREECE", "EUROPE", "WORLDWIDE"][number % 3],
    schengen: number % 2 === 0,
  }));
  return {
    name: "list",
    isLookup: true,
    method: "GET",
    path: "/provider-b/countries",
    status: 200,
    body: () => null,
    answer: () => listOf(countries, 235),
  };
}

/** A page of 20 applications. */
function search(): Work {
  const applications = poolOf((number) => ({
    applicationId: `D-${number}`,
    status: "RECEIVED",
    statusReasons: [],
    policy: { startDate: "2026-12-01", endDate: "2027-12-01", policyNumber: null },
    vehicle: { plateNumber: "ΙΚΥ-1234", manufacturerCode: "TOY", modelCode: "YARIS" },
    holder: { afm: "123456789", fullName: `Ελένη Παπαδοπούλου ${number}` },
    premium: null,
    payment: null,
    documents: [],
    createdAt: "2026-11-21T08:00:00Z",
    updatedAt: "2026-11-21T08:00:00Z",
  }));
  return {
    name: "search",
    isLookup: false,
    method: "GET",
    path: "/provider-d/applications/search?clientAfm=123456789",
    status: 200,
    body: () => null,
    answer() {
      const { body } = listOf(applications, 20);
      const page = { start: 1, limit: 20, total: 20 };
      return json({ ...page, ...JSON.parse(body.toString()) });
    },
  };
}

/** A submission. Each request has a separate key and content and creates a separate application. */
function submission(): Work {
  return {
    name: "submission",
    isLookup: false,
    method: "POST",
    path: "/provider-d/applications",
    status: 201,
    body: () => ({
      policy: { startDate: "2026-12-01", endDate: "2027-12-01" },
      vehicle: {
        plateNumber: `ΙΚΥ-${1_000 + upTo(9_000)}`,
        manufacturerCode: "TOY",
        modelCode: "YARIS",
      },
      holder: { afm: String(100_000_000 + upTo(900_000_000)), fullName: "Ελένη Παπαδοπούλου" },
    }),
    answer(request) {
      // The request is a body that this function generated.
      const { holder, policy, vehicle } = JSON.parse(request) as Record<string, object>;
      return json({
        applicationId: `D-${randomUUID()}`,
        status: "RECEIVED",
        statusReasons: [],
        policy: { ...policy, policyNumber: null },
        vehicle,
        holder,
        premium: null,
        payment: null,
        documents: [],
        createdAt: new Date().toISOString(),
        updatedAt: new Date().toISOString(),
      });
    },
  };
}

/** A PDF of 52 kB. */
function document(): Work {
  const rest = Buffer.alloc(52_000, "%");
  return pdfOf("document", "C-0001", () =>
    Buffer.concat([Buffer.from(`%PDF-1.7 ${upTo(ITEMS_IN_POOL)}\n`), rest]),
  );
}

/** A PDF of 10 MB for slow readers, always the same, so that the insurer's memory does not grow. */
function largeDocument(): Work {
  let file: Buffer | undefined;
  return pdfOf("large", "C-LARGE", () => (file ??= Buffer.alloc(10_000_000, "%PDF-1.7\n")));
}

function pdfOf(name: string, applicationId: string, file: () => Buffer): Work {
  return {
    name,
    isLookup: false,
    method: "GET",
    path: `/provider-c/application/ipid?applicationId=${applicationId}`,
    status: 200,
    body: () => null,
    answer: () => ({ type: "application/pdf", body: file() }),
  };
}

function json(value: unknown): ReturnType<Work["answer"]> {
  return { type: "application/json", body: JSON.stringify(value) };
}

/** Creates a list of serialised items once, because serialising for each answer would slow down the shared machine. */
function poolOf(item: (number: number) => object): () => readonly string[] {
  let pool: readonly string[] | undefined;
  return () =>
    (pool ??= Array.from({ length: ITEMS_IN_POOL }, (_, number) => JSON.stringify(item(number))));
}

function listOf(pool: () => readonly string[], length: number): ReturnType<Work["answer"]> {
  const start = upTo(ITEMS_IN_POOL - length);
  const items = pool().slice(start, start + length);
  return { type: "application/json", body: `{"items":[${items.join(",")}]}` };
}

function letters(number: number, length: number): string {
  return Array.from({ length }, (_, place) =>
    String.fromCharCode(65 + (Math.floor(number / 26 ** place) % 26)),
  ).join("");
}

function upTo(end: number): number {
  return Math.floor(Math.random() * end);
}

/** Returns a random amount with two decimal places. */
function cents(from: number, to: number): number {
  return (from * 100 + upTo((to - from) * 100)) / 100;
}
