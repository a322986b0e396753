import type { Refusal } from "@insurance-gateway/core/runtime";

/**
 * Waits for an answer, at most as long as the caller wants.
 * @param stillRunning - resolves with the refusal for a caller who stops waiting, as soon as there can be one
 */
export async function waitForAnswer<Answer>(
  answer: Promise<Answer>,
  waitMs: number,
  stillRunning: () => Promise<Refusal>,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => void stillRunning().then(reject), waitMs);
  });
  try {
    return await Promise.race([answer, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
