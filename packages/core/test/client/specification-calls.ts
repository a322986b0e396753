import * as z from "zod/mini";
import {
  document,
  type Endpoint,
  lookup,
  type PageQuery,
  pdf,
  quote,
  type Schema,
  search,
  submission,
} from "../../src/contract/index.ts";
import {
  afm,
  amount,
  count,
  date,
  loose,
  pageQuery,
  strict,
  text,
  zod,
} from "../../src/schema/index.ts";

type Anything = Record<never, never>;

const anything: Schema<Anything> = loose<Anything>({});

interface Motor {
  policy: { startDate: string; endDate: string };
  vehicle: { plateNumber: string; manufacturerCode: string; modelCode: string };
  holder: { afm: string; fullName: string };
}

const motor: Schema<Motor> = strict<Motor>({
  policy: zod(strict<Motor["policy"]>({ startDate: date(), endDate: date() })),
  vehicle: zod(
    strict<Motor["vehicle"]>({ plateNumber: text(), manufacturerCode: text(), modelCode: text() }),
  ),
  holder: zod(strict<Motor["holder"]>({ afm: afm(), fullName: text() })),
});

interface Pension {
  personDob: string;
  monthlyContribution: number;
  durationYears: number;
}

interface ClientSearch extends PageQuery {
  clientAfm: string;
}

const reference = (provider: string, path: string): Endpoint =>
  lookup<{ response: Anything }>({ provider, path, response: { 200: anything } });

/** The specification's seven endpoints by name. They are declared in this file because core depends on no provider. */
export const specificationEndpoints: Readonly<Record<string, Endpoint>> = {
  listBrands: reference("provider-a", "/auto/brands"),
  listCountries: reference("provider-b", "/countries"),
  listVehicleUsages: reference("provider-c", "/vehicle/usages"),
  createApplication: submission<{ body: Motor; response: Anything }>({
    provider: "provider-d",
    path: "/applications",
    body: motor,
    response: { 201: anything },
  }),
  calculatePensionQuote: quote<{ body: Pension; response: Anything }>({
    provider: "provider-e",
    path: "/life/core/fast-pension-quote",
    body: strict<Pension>({
      personDob: date(),
      monthlyContribution: amount(),
      durationYears: count(),
    }),
    response: { 200: anything },
  }),
  searchApplications: search<{ query: ClientSearch; item: Anything }>({
    provider: "provider-d",
    path: "/applications/search",
    query: strict<ClientSearch>({ clientAfm: afm(), ...pageQuery() }),
    item: anything,
  }),
  downloadIpid: document<{ query: { applicationId: string } }>({
    provider: "provider-c",
    path: "/application/ipid",
    query: strict<{ applicationId: string }>({ applicationId: z.string() }),
    files: [pdf],
    fileName: "ipid",
  }),
};
