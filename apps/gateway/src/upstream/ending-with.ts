import type { UpstreamAnswer } from "./answer.ts";

/** Calls `end` once when nothing of the answer is left to come: at once for text, else when its stream ends or is given up. */
export function endingWith(answer: UpstreamAnswer, end: () => void): UpstreamAnswer {
  const { content } = answer;
  if (typeof content === "string") {
    end();
    return answer;
  }
  return { ...answer, content: { [Symbol.asyncIterator]: () => watched(content, end) } };
}

/** Not a generator: one that was never begun would end without a word. */
function watched(
  content: AsyncIterable<Uint8Array>,
  end: () => void,
): AsyncIterator<Uint8Array, undefined> {
  const pieces = content[Symbol.asyncIterator]();
  let ended = false;
  const endOnce = (): void => {
    if (!ended) end();
    ended = true;
  };
  return {
    async next() {
      try {
        const next = await pieces.next();
        if (next.done !== true) return next;
        endOnce();
        return { done: true, value: undefined };
      } catch (error) {
        endOnce();
        throw error;
      }
    },
    async return() {
      endOnce();
      await pieces.return?.();
      return { done: true, value: undefined };
    },
  };
}
