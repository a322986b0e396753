import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChangeLevel, compareContracts, neededLevel } from "../src/index.ts";
import { answering, requesting } from "./harness/contracts.ts";
import { type Draft, mutate, randomMutation, randomSchema } from "./harness/random-schemas.ts";
import { samplesOf } from "./samples.ts";

/** Two random versions of a schema, with the named schemas to which both refer. */
const versions = fc
  .record({
    schema: randomSchema,
    A: randomSchema.filter(isNoReference),
    B: randomSchema.filter(isNoReference),
    inSchema: fc.array(randomMutation, { minLength: 1, maxLength: 2 }),
    inNamed: fc.array(randomMutation, { maxLength: 1 }),
  })
  .map(({ A, B, inNamed, inSchema, schema }) => ({
    before: { schema, named: { A, B } },
    after: {
      schema: inSchema.reduce(mutate, schema),
      named: { A: inNamed.reduce(mutate, A), B },
    },
  }))
  .filter(({ after }) => isNoReference(after.named.A));

/** Reports whether a named schema is more than a reference: two mere references could refer to each other. */
function isNoReference(schema: Draft): boolean {
  return !/"\$ref"/.test(JSON.stringify({ ...schema, properties: {}, items: {} }));
}

interface Version {
  readonly schema: Draft;
  readonly named: Readonly<Record<string, Draft>>;
}

/** Reports whether a value is valid against a schema. */
type Judge = (value: unknown) => boolean;

const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });

function judge({ named, schema }: Version): Judge {
  const validate = ajv.compile({ allOf: [schema], components: { schemas: named } });
  return (value) => validate(value);
}

function levelOf(write: typeof requesting, before: Version, after: Version): ChangeLevel | null {
  const [old, current] = [before, after].map(({ named, schema }) => write(schema, named));
  return old && current ? neededLevel(compareContracts(old, current)) : null;
}

describe("changes below the level major", () => {
  it("a newer contract accepts every older request and allows no new answer if contract-diff reports no major change", () => {
    let judged = 0;
    fc.assert(
      fc.property(versions, ({ after, before }) => {
        const levels = [levelOf(requesting, before, after), levelOf(answering, before, after)];
        const [isRequestKept, isAnswerKept] = levels.map((level) => level !== "major");
        if (levels.includes(null) || !(isRequestKept || isAnswerKept)) return;
        judged += 1;
        const [wasAllowed, isAllowed] = [judge(before), judge(after)];
        const samples = [before, after].flatMap(({ named, schema }) => samplesOf(schema, named));
        const refused = samples.filter((value) => wasAllowed(value) && !isAllowed(value));
        const unexpected = samples.filter((value) => isAllowed(value) && !wasAllowed(value));
        expect([isRequestKept ? refused : [], isAnswerKept ? unexpected : []]).toEqual([[], []]);
      }),
      { numRuns: 200 },
    );
    expect(judged).toBeGreaterThan(50);
  });
});
