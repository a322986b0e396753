import * as z from "zod/mini";
import type { Read } from "../contract/endpoint.ts";
import type { Schema } from "../contract/schema.ts";
import { list } from "../schema/composites.ts";
import { loose, zod } from "../schema/object.ts";

/** A test case of a simulated insurer. A request selects it by its name in the header `X-Sandbox-Scenario`. */
export interface ListedScenario {
  /** The id of the provider. */
  readonly provider: string;
  /** The name of the scenario's endpoint. */
  readonly endpoint: string;
  /** The value of `X-Sandbox-Scenario`. */
  readonly name: string;
  /** The effect of the scenario, in words. */
  readonly effect: string;
  /** A value in the request that selects the scenario without the header; null if only the header selects it. */
  readonly when: ScenarioValue | null;
  /** The problem that the caller receives; null if the call succeeds. */
  readonly problem: ScenarioProblem | null;
}

/** The problem of a scenario, with the outcome and advice that its code has here. */
export interface ScenarioProblem {
  /** The code: `PROVIDER_REJECTED`. */
  readonly code: string;
  /** The effect of the call at the insurer: `not_sent`, `rejected`, `unknown` or `executed`. */
  readonly outcome: string;
  /** The advice about repeating the call: `safe`, `same_key`, `after_check` or `never`. */
  readonly retry: string;
}

/** A test value in a request, which selects a scenario. */
export interface ScenarioValue {
  /** The place of the value in the request: a JSON Pointer, such as `/body/holder/afm` or `/query/applicationId`. */
  readonly pointer: string;
  /** The value. */
  readonly equals: string | number;
}

/** The scenarios of all simulated insurers of a gateway. */
export interface ScenarioList {
  /** All scenarios, sorted by provider. */
  readonly items: readonly ListedScenario[];
}

const scenarioValue: Schema<ScenarioValue> = loose<ScenarioValue>({
  pointer: z.string(),
  equals: z.union([z.string(), z.number()]),
});

const scenarioProblem: Schema<ScenarioProblem> = loose<ScenarioProblem>({
  code: z.string(),
  outcome: z.string(),
  retry: z.string(),
});

const listedScenario: Schema<ListedScenario> = loose<ListedScenario>({
  provider: z.string(),
  endpoint: z.string(),
  name: z.string(),
  effect: z.string(),
  when: z.nullable(zod(scenarioValue)),
  problem: z.nullable(zod(scenarioProblem)),
});

const scenarioList: Schema<ScenarioList> = loose<ScenarioList>({
  items: list(zod(listedScenario)),
});

/**
 * Lists the scenarios of the simulated insurers. Only a gateway with a simulated insurer has this endpoint. The token
 * needs no scope.
 */
export const listScenarios: Read<{ response: ScenarioList }> = {
  kind: "read",
  provider: "",
  method: "GET",
  path: "/sandbox/scenarios",
  response: { 200: scenarioList },
};
