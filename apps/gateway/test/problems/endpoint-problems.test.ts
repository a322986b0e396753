import { declared } from "@insurance-gateway/adapter";
import {
  defineProvider,
  document,
  type FilePart,
  lookup,
  none,
  pdf,
  submission,
} from "@insurance-gateway/core/contract";
import { type ProblemCode, problemCodes } from "@insurance-gateway/core/problems";
import { file, zodSchema } from "@insurance-gateway/core/schema";
import { providerA } from "@insurance-gateway/provider-a";
import { adapter as adapterA } from "@insurance-gateway/provider-a/adapter";
import { providerB } from "@insurance-gateway/provider-b";
import { adapter as adapterB } from "@insurance-gateway/provider-b/adapter";
import { providerC } from "@insurance-gateway/provider-c";
import { adapter as adapterC } from "@insurance-gateway/provider-c/adapter";
import { providerD } from "@insurance-gateway/provider-d";
import { adapter as adapterD } from "@insurance-gateway/provider-d/adapter";
import { providerE } from "@insurance-gateway/provider-e";
import { adapter as adapterE } from "@insurance-gateway/provider-e/adapter";
import { problemsOf } from "@insurance-gateway/reference";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { faultTable } from "../outcome-faults/fault-table.ts";
import { refusalsOf, type Served } from "./endpoint-refusals.ts";

const note = zodSchema<string>(z.string());
const photo = zodSchema<FilePart>(file());

/** Endpoints that differ in every property that determines their problems. */
const variants = defineProvider({
  id: "variants",
  name: "Variants",
  lines: ["motor"],
  endpoints: {
    readPhoto: document<object>({
      provider: "variants",
      path: "/photo",
      files: [pdf, { mediaType: "image/png", extension: "png" }],
      notReady: 202,
    }),
    addNote: submission<{ body: string | FilePart; response: undefined }>({
      provider: "variants",
      path: "/notes",
      sameContent: "none",
      body: { media: { "text/plain": note, "image/png": photo } },
      response: { 204: none },
    }),
    endCover: submission<{ response: undefined }>({
      provider: "variants",
      method: "DELETE",
      path: "/cover",
      response: { 204: none },
      failures: [
        {
          status: 404,
          media: "application/json",
          at: "/code",
          is: ["C-4"],
          code: "RESOURCE_NOT_FOUND",
          outcome: "rejected",
          why: "x",
        },
      ],
    }),
    listPlain: lookup<{ response: string }>({
      provider: "variants",
      path: "/plain",
      response: { 200: { media: { "text/plain": note, "text/csv": note } } },
    }),
  },
});

const served: readonly Served[] = [
  { provider: providerA, adapter: adapterA },
  { provider: providerB, adapter: adapterB },
  { provider: providerC, adapter: adapterC },
  { provider: providerD, adapter: adapterD },
  { provider: providerD, adapter: declared },
  { provider: providerE, adapter: adapterE },
  { provider: variants, adapter: declared },
];

const line = (code: string, { outcome, retry }: { outcome: string; retry: string }): string =>
  `${code} ${outcome} ${retry}`;

const endpoints = served.flatMap((one) =>
  Object.entries(one.provider.endpoints).map(
    ([name, endpoint]) => [name, one.adapter.name, endpoint, one] as const,
  ),
);

function listedFor(name: string, { adapter, provider }: Served): readonly string[] {
  const problems = problemsOf(provider, {
    failuresOf: ({ failures = [] }) => [
      ...failures,
      ...(provider.failures ?? []),
      ...adapter.failures,
    ],
    translates: adapter.name !== declared.name,
  })(name);
  return Object.entries(problems).flatMap(([code, meanings]) =>
    meanings.map((meaning) => line(code, meaning)),
  );
}

describe("the documented problems of an endpoint", () => {
  it.each(endpoints)(
    "the documented problems of an endpoint are exactly the problems that the gateway's rules produce: %s, adapter %s",
    (name, _, endpoint, one) => {
      const made = refusalsOf(endpoint, one).map(({ code, facts }) => line(code, facts));
      expect(listedFor(name, one).toSorted()).toEqual([...new Set(made)].toSorted());
    },
  );

  it.each(Object.entries(faultTable))(
    "the documented problems of endpoints include the answers to the fault %s",
    (_, { answer }) => {
      const declaredD = { provider: providerD, adapter: declared };
      const listed = {
        submission: listedFor("createApplication", declaredD),
        others: listedFor("searchApplications", declaredD),
      };
      for (const [kind, said] of Object.entries(answer)) {
        const [, problem] = /^\d+ ([A-Z_]+ \w+ \w+)$/.exec(said) ?? [];
        if (problem !== undefined)
          expect(listed[kind === "submission" ? "submission" : "others"], said).toContain(problem);
      }
    },
  );

  it("every unusual meaning of a problem code has a documented condition", () => {
    for (const [name, , , one] of endpoints) {
      const problems = problemsOf(one.provider, {
        failuresOf: () => one.adapter.failures,
        translates: false,
      })(name);
      for (const [code, meanings] of Object.entries(problems))
        for (const meaning of meanings) {
          const { outcome, retry } = problemCodes[code as ProblemCode];
          const isUsual = outcome === meaning.outcome && retry === meaning.retry;
          expect(meaning.when === undefined, `${name} ${line(code, meaning)}`).toBe(isUsual);
        }
    }
  });
});
