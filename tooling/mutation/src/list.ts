import { answers } from "./list/answers.ts";
import { authentication } from "./list/authentication.ts";
import { client } from "./list/client.ts";
import { insurerAnswers } from "./list/insurer-answers.ts";
import { insurerCredentials } from "./list/insurer-credentials.ts";
import { log } from "./list/log.ts";
import { metrics } from "./list/metrics.ts";
import { reconciliation } from "./list/reconciliation.ts";
import { reconciliationProof } from "./list/reconciliation-proof.ts";
import { resilience } from "./list/resilience.ts";
import { store } from "./list/store.ts";
import { submissionIdentity } from "./list/submission-identity.ts";
import { submissions } from "./list/submissions.ts";
import { upstream } from "./list/upstream.ts";
import type { Mutation } from "./mutation.ts";

/** Every mutation that a test must notice. */
export const mutations: readonly Mutation[] = [
  ...submissionIdentity,
  ...submissions,
  ...reconciliationProof,
  ...reconciliation,
  ...answers,
  ...upstream,
  ...insurerAnswers,
  ...insurerCredentials,
  ...store,
  ...resilience,
  ...log,
  ...metrics,
  ...authentication,
  ...client,
];
