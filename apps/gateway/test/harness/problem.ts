import * as z from "zod";

/** The members of problems. */
export interface ProblemBody {
  type: string;
  status: number;
  code: string;
  detail: string;
  requestId: string;
  provider: string | null;
  outcome: string;
  retry: string;
  errors: { pointer: string; code: string; message: string }[];
  reconciliation?: unknown;
}

const problem: z.ZodType<ProblemBody> = z.looseObject({
  type: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  requestId: z.string(),
  provider: z.nullable(z.string()),
  outcome: z.enum(["not_sent", "rejected", "unknown", "executed"]),
  retry: z.enum(["safe", "same_key", "after_check", "never"]),
  errors: z
    .array(z.strictObject({ pointer: z.string(), code: z.string(), message: z.string() }))
    .default([]),
  reconciliation: z.unknown().optional(),
});

/** Reads the problem in an answer. Throws if a required member is missing. */
export async function problemIn(response: Response): Promise<ProblemBody> {
  return problem.parse(await response.json());
}

/** Returns the faults in a problem, as `pointer CODE`. */
export function faultsIn({ errors }: ProblemBody): readonly string[] {
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
}
