import {
  type ByStatus,
  defineProvider,
  type Lookup,
  lookup,
  none,
  type OpenEnum,
  type Read,
  read,
  type Schema,
  type Search,
  type Submission,
  search,
  submission,
} from "@insurance-gateway/core/contract";
import {
  joined,
  loose,
  objectWith,
  openEnum,
  strict,
  text,
  zod,
  zodSchema,
} from "@insurance-gateway/core/schema";
import * as z from "zod/mini";

const provider = "odd-provider";

/** A cover that can contain further covers. */
export interface Cover {
  /** The cover's code. */
  code: string;
  /** Covers that belong to it. */
  parts: Cover[];
}

/** How a person is reached. */
export type Contact = Letter | Call;

/** By post. */
export interface Letter {
  /** The constant that selects contact by post. */
  by: "LETTER";
  /** Street and number. */
  street: string;
}

/** By telephone. */
export interface Call {
  /** The constant that selects contact by telephone. */
  by: "CALL";
  /** The number with its country code. */
  number: string;
}

/** The progress of a contract. */
export type Progress = OpenEnum<"BEGUN" | "DONE">;

/** A value with a note. */
export interface Noted<Value> {
  /** The value. */
  value: Value;
  /** The note on the value. */
  note?: string;
}

/** A contract. */
export interface Contract {
  /** The contract's cover. */
  cover: Cover;
  /** The contact of the contract's holder. */
  contact: Contact;
  /** The progress; null before the start. */
  progress: Progress | null;
  /** The cover again, with a note. */
  noted: Noted<Cover>;
  /** Amounts by name. */
  amounts: Readonly<Record<string, string>>;
  /** A pair of a text and a number. */
  pair: readonly [string, number];
}

/** The contract to read or end. */
export interface ContractPath {
  /** The contract's number: letters, digits and slashes. */
  contractNumber: string;
}

const cover = z.looseObject({
  code: z.string(),
  get parts() {
    return z.array(cover);
  },
});
export const call: Schema<Call> = loose<Call>({ by: z.literal("CALL"), number: z.string() });
export const letter: Schema<Letter> = loose<Letter>({
  by: z.literal("LETTER"),
  street: z.string(),
});

const contract: Schema<Contract> = loose<Contract>({
  cover,
  contact: z.union([zod(call), zod(letter)]),
  progress: z.nullable(openEnum("BEGUN", "DONE")),
  noted: zod(loose<Noted<Cover>>({ value: cover, note: z.exactOptional(z.string()) })),
  amounts: z.record(z.string(), z.string()),
  pair: z.tuple([z.string(), z.number()]),
});

const contractPath: Schema<ContractPath> = strict<ContractPath>({ contractNumber: text(40) });
const oneContract = { provider, path: "/contracts/{contractNumber}", params: contractPath };
const oneVehicle = { ...oneContract, path: "/contracts/{contractNumber}/vehicle" };

/** Reads a contract by its number. */
export const readContract: Read<{ params: ContractPath; response: Contract }> = read({
  ...oneContract,
  response: { 200: contract },
});

/** Ends a contract: at once, or later. */
export const endContract: Submission<{ params: ContractPath; response: Contract }> = submission({
  ...oneContract,
  method: "DELETE",
  response: { 200: contract, 202: contract },
});

/** Lists the covers. */
export const listCovers: Lookup<{ response: Cover[] }> = lookup({
  provider,
  path: "/covers",
  response: { 200: zodSchema<Cover[]>(z.array(cover)) },
});

/** The changeable facts of a vehicle, e.g. its plate. Source: nowhere. Beware: the year is that of registration. */
export interface Vehicle extends Omit<RegisteredVehicle, "registeredOn"> {
  /** The use. */
  usage?: string;
}

/** A vehicle in the register. */
export interface RegisteredVehicle {
  /** Its plate. */
  plate: string;
  /** The date of registration. */
  registeredOn: string;
}

const vehicle = strict<Vehicle>({ plate: text(), usage: z.exactOptional(text()) });
const answeredVehicle = loose<Vehicle>({
  plate: z.string(),
  usage: z.exactOptional(z.string()),
});

/** Reads a vehicle. This endpoint is declared before the request that changes the vehicle. */
export const readVehicle: Read<{ params: ContractPath; response: Vehicle }> = read({
  ...oneVehicle,
  response: { 200: answeredVehicle },
});

/** Changes a vehicle. */
export const changeVehicle: Submission<{
  params: ContractPath;
  body: Vehicle;
  response: Vehicle;
}> = submission({
  ...oneVehicle,
  method: "PUT",
  body: vehicle,
  response: { 200: answeredVehicle },
});

/** Notes by name. */
export interface Notes {
  /** Who wrote them. */
  author: string;
  [name: string]: string;
}

const notes: Schema<Notes> = objectWith<Notes>({ author: text() }, text());

/** An order of covers. */
export interface CoverOrder {
  /** The ordered cover. */
  cover: Cover;
  /** A note on the order. */
  notes?: Notes;
}

const orderedCover = z.strictObject({
  code: text(),
  get parts() {
    return z.array(orderedCover);
  },
});
const coverOrder: Schema<CoverOrder> = strict<CoverOrder>({
  cover: orderedCover,
  notes: z.exactOptional(zod(notes)),
});

/** Orders a cover. */
export const orderCover: Submission<{ body: CoverOrder; response: Cover[] }> = submission({
  provider,
  path: "/covers",
  body: coverOrder,
  response: { 201: zodSchema<Cover[]>(z.array(cover)) },
});

/** The criteria of a search for covers. */
export interface CoverSearch {
  /** A part of the code. */
  code: string;
  /** The cursor of a page. */
  cursor?: string;
  /** Maximum number of covers on a page. */
  count?: number;
}

/** A page of covers. */
export interface CoverPage {
  /** The covers of the page. */
  found: Cover[];
}

/** Finds covers. */
export const searchCovers: Search<{ query: CoverSearch; item: Cover; page: CoverPage }> = search({
  provider,
  path: "/covers/search",
  query: strict<CoverSearch>({
    code: text(),
    cursor: z.exactOptional(text()),
    count: z.exactOptional(z.int().check(z.minimum(1), z.maximum(50))),
  }),
  page: loose<CoverPage>({ found: z.array(cover) }),
  paging: {
    style: "link",
    position: "cursor",
    size: { name: "count", usual: 10, most: 50 },
    items: "/found",
    total: { header: "x-total-count" },
  },
});

/** The covers to renew. */
export interface RenewalQuery {
  /** The codes of the covers. */
  codes: string[];
  /** The numbers of the years. */
  years?: number[];
  /** The period of the renewal. */
  period: { from: string; to?: string };
}

/** The headers of a renewal. */
export interface RenewalHeaders {
  /** The agent's code. */
  "x-agent": string;
}

/** Renews covers. */
export const renewCovers: Submission<{
  query: RenewalQuery;
  headers: RenewalHeaders;
  response: ByStatus<{ 200: Cover[]; 202: Vehicle; 204: undefined }>;
}> = submission({
  provider,
  path: "/renewals",
  query: strict<RenewalQuery>({
    codes: z.array(text()).check(z.minLength(1)),
    years: z.exactOptional(joined(z.array(z.int()).check(z.minLength(1)))),
    period: z.strictObject({ from: text(), to: z.exactOptional(text()) }),
  }),
  headers: strict<RenewalHeaders>({ "x-agent": text() }),
  response: {
    200: {
      media: { "application/json": zodSchema<Cover[]>(z.array(cover)) },
      headers: strict<{ "x-total": number }>({ "x-total": z.int() }),
    },
    202: answeredVehicle,
    204: none,
  },
});

/** Odd Provider: declarations that the five providers do not use. */
export const oddProvider = defineProvider({
  id: provider,
  name: "Odd Provider",
  lines: ["motor"],
  endpoints: {
    readContract,
    endContract,
    listCovers,
    readVehicle,
    changeVehicle,
    orderCover,
    searchCovers,
    renewCovers,
  },
});
