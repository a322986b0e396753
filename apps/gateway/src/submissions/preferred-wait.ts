import type { Refusal } from "@insurance-gateway/core/runtime";

/**
 * Waits for a submission's answer, at most as long as the caller wants.
 * @param stillRunning - returns the refusal for a caller whose wait is over, as soon as the gateway can give a refusal
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
