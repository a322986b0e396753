import {
  defineProvider,
  type Endpoint,
  lookup,
  type Provider,
  quote,
  type Schema,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  afm,
  amount,
  count,
  date,
  decimal,
  instant,
  loose,
  openEnum,
  pageQuery,
  strict,
  text,
  zod,
} from "@insurance-gateway/core/schema";

/** What generated endpoints are about: enough different words for a search to have something to find. */
const subjects = [
  "vehicle brand",
  "vehicle model",
  "motor quote",
  "motor application",
  "green card",
  "travel country",
  "travel quote",
  "life rider",
  "life quote",
  "pension plan",
  "pension quote",
  "health cover",
  "home cover",
  "fire application",
  "roadside assistance",
  "broker commission",
  "premium instalment",
  "policy renewal",
  "claim notice",
  "beneficiary",
  "coverage package",
];

const nameOf = (subject: string): string =>
  subject.replaceAll(/ (.)/g, (_, letter: string) => letter.toUpperCase());

/** A request of a usual size: a dozen fields in three objects. */
const requestBody: Schema<unknown> = strict<object>({
  period: zod(strict<object>({ startDate: date(), endDate: date() })),
  holder: zod(strict<object>({ afm: afm(), fullName: text(), dateOfBirth: date(), city: text() })),
  cover: zod(strict<object>({ code: text(20), sum: amount(), years: count() })),
});

const answer: Schema<unknown> = loose<object>({
  id: text(),
  status: openEnum("RECEIVED", "APPROVED", "DECLINED"),
  gross: decimal(),
  net: decimal(),
  createdAt: instant(),
});

const list: Schema<unknown> = loose<object>({
  code: text(),
  name: text(),
  nameEl: text(),
});
const searchQuery = strict<object>({ clientAfm: afm(), ...pageQuery() });

/** Makes a provider with so many endpoints of every kind, the same for the same name. */
export function generatedProvider(id: string, name: string, endpoints: number): Provider {
  const made: Record<string, Endpoint> = {};
  for (let number = 0; number < endpoints; number += 1) {
    const subject = subjects[number % subjects.length] ?? "";
    const round = Math.floor(number / subjects.length) + 1;
    const path = `/v${round}/${subject.replaceAll(" ", "/")}`;
    const [verb, endpoint] = endpointOf(number, id, path);
    made[`${verb}${nameOf(` ${subject}`)}${round}`] = endpoint;
  }
  return defineProvider({ id, name, lines: ["motor", "travel"], endpoints: made });
}

function endpointOf(number: number, provider: string, path: string): readonly [string, Endpoint] {
  const place = { provider, path };
  switch (number % 5) {
    case 0:
      return ["list", lookup<{ response: unknown }>({ ...place, response: { 200: list } })];
    case 1:
      return [
        "calculate",
        quote<{ body: unknown; response: unknown }>({
          ...place,
          body: requestBody,
          response: { 200: answer },
        }),
      ];
    case 2:
      return [
        "create",
        submission<{ body: unknown; response: unknown }>({
          ...place,
          body: requestBody,
          response: { 201: answer },
        }),
      ];
    default:
      return [
        "search",
        search<{ query: { start?: number }; item: unknown }>({
          ...place,
          query: searchQuery,
          item: answer,
        }),
      ];
  }
}

/** An example of every endpoint, so that pages have as much to show as real ones. */
export function generatedExamples({ endpoints }: Provider): Readonly<Record<string, object>> {
  const body = {
    period: { startDate: "2026-12-01", endDate: "2027-12-01" },
    holder: {
      afm: "123456789",
      fullName: "Ελένη Παπαδοπούλου",
      dateOfBirth: "1985-06-15",
      city: "Θεσσαλονίκη",
    },
    cover: { code: "BASIC", sum: 10_000, years: 5 },
  };
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [
      name,
      {
        usual: {
          summary: "A usual one",
          request: {
            ...(endpoint.body === undefined ? {} : { body }),
            ...(endpoint.query === undefined
              ? {}
              : { query: { clientAfm: "123456789", start: 1, limit: 20 } }),
          },
          response: { id: "X-1", status: "RECEIVED", gross: "120.00", net: "100.00" },
        },
      },
    ]),
  );
}
