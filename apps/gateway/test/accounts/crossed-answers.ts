import { forEachAtOnce } from "../chaos/at-once.ts";
import { account, type Bearer, type Brokers, CLAIM, startBrokers } from "../harness/brokers.ts";
import { insurerConfiguration } from "../harness/gateway-in-process.ts";
import { nothingFound } from "../harness/site.ts";
import { isNewCustomer, type RepeatingInsurer } from "./repeating-insurer.ts";

const brokers: readonly Bearer[] = [{ tenant: "north" }, { tenant: "south" }];

/** Starts a gateway with two brokers' accounts at an insurer of providers C and D. */
export function startTwoBrokers({ baseUrl }: RepeatingInsurer): Promise<Brokers> {
  const list = ["c", "d"].flatMap((letter) =>
    ["north", "south"].map((tenant) =>
      account(`${tenant}-${letter}`, tenant, { segment: `provider-${letter}` }),
    ),
  );
  const providers = ["c", "d"].map((letter) => ({
    ...insurerConfiguration(letter, baseUrl),
    callerLimit: { requests: 1_000_000 },
  }));
  return startBrokers({ claim: CLAIM, list }, nothingFound, {
    ids: ["north-c", "south-c", "north-d", "south-d"],
    more: { providers },
  });
}

/**
 * Sends searches and downloads of two brokers at the same time. Each call has a different customer.
 * @param first - the number of the first customer, so that several runs can use different customers
 * @returns one line for each wrong answer
 */
export async function crossedAnswers(
  gateway: Brokers,
  { documents, first, searches }: Record<"documents" | "first" | "searches", number>,
): Promise<readonly string[]> {
  const calls = Array.from({ length: searches + documents }, (_, index) => ({
    bearer: brokers[index % 2] ?? {},
    number: String(100_000_000 + first + index),
    isDocument: index % Math.ceil((searches + documents) / documents) === 1,
  }));
  const faults: string[] = [];
  await forEachAtOnce(calls, async ({ bearer, isDocument, number }) => {
    const fault = await (isDocument ? documentFault : searchFault)(gateway, bearer, number);
    if (fault !== null) faults.push(fault);
  });
  return faults;
}

async function searchFault(gateway: Brokers, bearer: Bearer, afm: string): Promise<string | null> {
  const path = `/provider-d/applications/search?clientAfm=${afm}`;
  const response = await gateway.ask(bearer, path);
  const answer = await response.text();
  const { items }: { readonly items?: readonly unknown[] } = JSON.parse(answer);
  const found = items?.map((item) => Object(item).holder.afm);
  const expected = isNewCustomer(afm) ? [] : [afm];
  return JSON.stringify(found) === JSON.stringify(expected)
    ? null
    : `${response.status}: the search for ${afm} found ${found?.join() ?? answer}`;
}

async function documentFault(gateway: Brokers, bearer: Bearer, id: string): Promise<string | null> {
  const path = `/provider-c/application/ipid?applicationId=C-${id}`;
  const response = await gateway.ask(bearer, path);
  const text = await response.text();
  return text === `%PDF-1.7 C-${id}\n%%EOF` ? null : `${response.status}: C-${id} is ${text}`;
}
