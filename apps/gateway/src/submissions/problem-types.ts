import {
  type ErrorPages,
  problemType,
  Refusal,
  type StatusAnswer,
  withType,
} from "@insurance-gateway/core/runtime";
import type { UpstreamAnswer } from "../insurers/answers/upstream-answer.ts";
import type { Submissions } from "./submissions.ts";

/** Adds `type` to stored problems. The store omits `type`, because the address of the error pages may change. */
export function withProblemTypes(submissions: Submissions, pages: () => ErrorPages): Submissions {
  const typed = (answer: UpstreamAnswer): UpstreamAnswer => {
    const { content, problem } = answer;
    if (problem === undefined || typeof content !== "string") return answer;
    return { ...answer, content: withType({ content, problem }, pages()) };
  };
  const typedState = (state: StatusAnswer): StatusAnswer => {
    const { answer } = state;
    if (answer === null || answer.status < 400) return state;
    const problem: { readonly code?: unknown } = Object(answer.body);
    const type = problemType(pages(), String(problem.code));
    return { ...state, answer: { ...answer, body: { type, ...problem } } };
  };
  return {
    ...submissions,
    submit: async (...parameters) => typed(await submissions.submit(...parameters)),
    refused: async (...parameters) => {
      const answer = await submissions.refused(...parameters);
      return answer instanceof Refusal ? answer : typed(answer);
    },
    status: async (...parameters) => typedState(await submissions.status(...parameters)),
    statusByKey: async (...parameters) => typedState(await submissions.statusByKey(...parameters)),
  };
}
