import { bodyOf } from "./answer-on-the-wire.ts";
import type { AlteredAnswerName } from "./fault-names.ts";
import type { InsurerAnswer } from "./insurer.ts";

/** A fault that replaces the insurer's answer by a changed one. */
export interface AlteredAnswer {
  /** Completes "the insurer …". */
  readonly description: string;
  readonly executes: true;
  /** The changed answer. */
  alter(answer: InsurerAnswer): InsurerAnswer;
}

/** The faults that keep the status of the answer and corrupt its body. All have the media type JSON. */
export const alteredAnswers: Readonly<Record<AlteredAnswerName, AlteredAnswer>> = {
  "garbage-success": {
    description:
      "carries the request out and confirms it with a body that is labelled as JSON but is not JSON",
    executes: true,
    alter: ({ status }) => ({ status, body: '{"lines":[1,2' }),
  },
  "undeclared-success": {
    description:
      "carries the request out and confirms it with JSON that does not match the declaration",
    executes: true,
    alter: ({ status }) => ({ status, body: '{"lines":3}' }),
  },
  "named-but-undeclared": {
    description:
      "carries the request out and confirms it with only the first field of its answer and an undeclared field",
    executes: true,
    alter: (answer) => ({ status: answer.status, body: firstFieldAndOneMore(answer) }),
  },
};

function firstFieldAndOneMore(answer: InsurerAnswer): string {
  const [first] = fieldsOf(bodyOf(answer).toString());
  return JSON.stringify({ ...(first && Object.fromEntries([first])), extra: true });
}

/** The fields of a JSON object; any other text has none. */
function fieldsOf(text: string): readonly (readonly [string, unknown])[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [];
  } catch {
    return [];
  }
}
