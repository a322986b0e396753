import { bodyOf } from "./answer-on-the-wire.ts";
import type { AlteredAnswerName } from "./fault-names.ts";
import type { InsurerAnswer } from "./insurer.ts";

/** A fault that changes the insurer's answer. */
export interface AlteredAnswer {
  /** The rest of a sentence that begins with "the insurer". */
  readonly description: string;
  readonly executes: true;
  /** Returns the changed answer. */
  alter(answer: InsurerAnswer): InsurerAnswer;
}

/** The faults that keep the status of the answer and corrupt the body. The corrupt answers have the media type JSON. */
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

/** Returns the fields of a JSON object, or none for any other text. */
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
