import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod/mini";
import {
  type ByStatus,
  type Examples,
  lookup,
  none,
  type PageQuery,
  type Schema,
  type Search,
  type Submission,
  submission,
} from "../src/contract/index.ts";
import type {
  ArgumentsOf,
  Call,
  Download,
  Gateway,
  Page,
  ProviderClient,
  ResultOf,
  SearchCall,
} from "../src/index.ts";
import type { BodyDeclaration, InputOf } from "../src/runtime.ts";
import { loose, strict, text } from "../src/schema/index.ts";
import type {
  BrandList,
  cancelPolicy,
  createPolicy,
  downloadTerms,
  Holder,
  listBrands,
  Policy,
  PolicyRequest,
  PolicySearch,
  providerM,
  readPolicy,
  searchPolicies,
} from "./harness/declarations.ts";
import { policy } from "./harness/declarations.ts";

type Client = ProviderClient<typeof providerM>;

/** Only compiled, never run. The compiler reports every `@ts-expect-error` without an error. */
function callsThatDoNotCompile(client: Client, gateway: Gateway): readonly unknown[] {
  const holder = { afm: "123456789", fullName: "Ελένη" };
  return [
    // @ts-expect-error a required input is left out
    client.createPolicy(),
    // @ts-expect-error a required part is left out
    client.createPolicy({}),
    // @ts-expect-error a required field is left out
    client.createPolicy({ body: { startDate: "2026-12-01", holder } }),
    // @ts-expect-error a field has another type
    client.calculatePremium({ body: { ...holder, afm: 123456789 } }),
    // @ts-expect-error a field is not declared
    client.calculatePremium({ body: { afm: "1", fullName: "x", age: 40 } }),
    // @ts-expect-error a parameter has another name
    client.readPolicy({ params: { id: "M-1" } }),
    // @ts-expect-error a parameter has another type
    client.searchPolicies({ query: { clientAfm: "123456789", start: "1" } }),
    // @ts-expect-error a part is not declared
    client.listBrands({ query: { clientAfm: "123456789" } }),
    // @ts-expect-error an endpoint is not declared
    client.deleteEverything(),
    // @ts-expect-error an option does not exist
    client.listBrands({ retries: 3 }),
    // @ts-expect-error a value is not an endpoint
    gateway.call({ kind: "lookup" }),
  ];
}

/** A submission with different answers by status, and with headers. */
const changePolicy: Submission<{
  headers: { "x-agent": string };
  response: ByStatus<{ 200: Policy; 202: BrandList; 204: undefined }>;
}> = submission({
  provider: "provider-m",
  path: "/changes",
  headers: strict<{ "x-agent": string }>({ "x-agent": text() }),
  response: {
    200: policy,
    202: loose<BrandList>({ items: z.array(z.string()) }),
    204: none,
  },
});

/** Only compiled, never run: each status has a separate type. */
async function changed(gateway: Gateway): Promise<Policy | BrandList | undefined> {
  const headers = { "x-agent": "A" };
  const answer = await gateway.call(changePolicy, { headers }).withResponse();
  if (answer.status === 200) expectTypeOf(answer.data).toEqualTypeOf<Policy>();
  if (answer.status === 202) return { items: answer.data.items };
  if (answer.status === 204) expectTypeOf(answer.data).toEqualTypeOf<undefined>();
  // @ts-expect-error a status is not declared
  if (answer.status === 201) return undefined;
  // @ts-expect-error a header is not declared
  await gateway.call(changePolicy, { headers: { ...headers, "x-agnet": "A" } });
  // @ts-expect-error a declared header is missing
  await gateway.call(changePolicy, { headers: { traceparent: "00" } });
  return answer.data;
}

/** Only compiled, never run: declarations that the compiler refuses. */
function declarationsThatDoNotCompile(): readonly unknown[] {
  return [
    // @ts-expect-error a property of the interface is missing in the schema
    strict<Holder>({ afm: text() }),
    // @ts-expect-error the interface lacks a property of the schema
    strict<Holder>({ afm: text(), fullName: text(), age: z.number() }),
    // @ts-expect-error a property has another type
    strict<Holder>({ afm: text(), fullName: z.number() }),
    // @ts-expect-error an optional property needs exactOptional
    loose<PageQuery>({ start: z.number(), limit: z.exactOptional(z.number()) }),
    // @ts-expect-error a schema must not transform values
    loose<{ a: number }>({ a: z.pipe(z.string(), z.transform(Number)) }),
    // @ts-expect-error the declared body has no schema
    submission<{ body: Holder; response: Policy }>({
      provider: "provider-m",
      path: "/x",
      response: {},
    }),
    lookup<{ response: BrandList }>({
      provider: "provider-m",
      path: "/x",
      // @ts-expect-error the answer's schema is of another type
      response: { 200: strict<Holder>({ afm: text(), fullName: text() }) },
    }),
  ];
}

describe("the types of a call", () => {
  it("the compiler refuses undeclared members in calls and declarations", () => {
    expectTypeOf(callsThatDoNotCompile).returns.toEqualTypeOf<readonly unknown[]>();
    expectTypeOf(declarationsThatDoNotCompile).returns.toEqualTypeOf<readonly unknown[]>();
  });

  it("the compiler requires no argument of a call if the endpoint requires no input", () => {
    expectTypeOf<[]>().toExtend<ArgumentsOf<typeof listBrands>>();
    expectTypeOf<[]>().not.toExtend<ArgumentsOf<typeof searchPolicies>>();
    expectTypeOf<InputOf<typeof listBrands>>().toEqualTypeOf<Record<never, never>>();
  });

  it("the type of a call's input has exactly the parts that the endpoint declares", () => {
    expectTypeOf<InputOf<typeof createPolicy>["body"]>().toEqualTypeOf<PolicyRequest>();
    expectTypeOf<InputOf<typeof searchPolicies>["query"]>().toEqualTypeOf<PolicySearch>();
    expectTypeOf<keyof InputOf<typeof readPolicy>>().toEqualTypeOf<"params">();
    expectTypeOf<keyof InputOf<typeof cancelPolicy>>().toEqualTypeOf<"params">();
  });

  it("the type of a call's result depends on the endpoint's kind: data, a page with items, or a download", () => {
    expectTypeOf<ResultOf<typeof listBrands>>().toEqualTypeOf<Call<BrandList>>();
    expectTypeOf<ResultOf<typeof createPolicy>>().toEqualTypeOf<Call<Policy>>();
    expectTypeOf<ResultOf<typeof searchPolicies>>().toEqualTypeOf<SearchCall<Policy>>();
    expectTypeOf<Awaited<SearchCall<Policy>>>().toEqualTypeOf<Page<Policy>>();
    expectTypeOf<SearchCall<Policy>>().toExtend<AsyncIterable<Policy>>();
    type Found = Search<{ query: { page?: number }; item: Policy; page: readonly Policy[] }>;
    expectTypeOf<ResultOf<Found>>().toEqualTypeOf<SearchCall<Policy, readonly Policy[]>>();
    expectTypeOf<ResultOf<typeof downloadTerms>>().toEqualTypeOf<Call<Download>>();
  });

  it("the type of a call's result with several statuses is a union that the status narrows", () => {
    type Changed = ResultOf<typeof changePolicy>;
    expectTypeOf<Awaited<Changed>>().toEqualTypeOf<Policy | BrandList | undefined>();
    expectTypeOf(changed).returns.resolves.toEqualTypeOf<Policy | BrandList | undefined>();
  });

  it("the compiler requires the declared headers and allows further headers", () => {
    type Headers = ArgumentsOf<typeof changePolicy>[0]["headers"];
    expectTypeOf<{ "x-agent": string }>().toExtend<Headers>();
    expectTypeOf<{ "x-agent": string; traceparent: string }>().toExtend<Headers>();
    expectTypeOf<{ traceparent: string }>().not.toExtend<Headers>();
  });

  it("the type of a provider's client has a function for every endpoint", () => {
    expectTypeOf<keyof Client>().toEqualTypeOf<
      | "listBrands"
      | "readPolicy"
      | "searchPolicies"
      | "createPolicy"
      | "cancelPolicy"
      | "calculatePremium"
      | "downloadTerms"
    >();
    expectTypeOf<Client["readPolicy"]>().returns.toEqualTypeOf<Call<Policy>>();
  });

  it("the type of a declaration contains no type of zod", () => {
    expectTypeOf<(typeof createPolicy)["body"]>().toEqualTypeOf<
      Schema<unknown> | BodyDeclaration | undefined
    >();
  });

  it("the type of an example follows the endpoint's declaration", () => {
    type Example = Examples<typeof createPolicy>[string];
    expectTypeOf<Example["request"]["body"]>().toEqualTypeOf<PolicyRequest>();
    expectTypeOf<Example["response"]>().toEqualTypeOf<Policy | undefined>();
  });
});
