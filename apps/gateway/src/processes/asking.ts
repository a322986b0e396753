import type { OwnAnswers, ToProcess } from "./peers.ts";

/** What a process may take to answer a question of another one, in milliseconds. */
const ANSWER_WITHIN_MS = 2_000;

/** A process that can be asked. */
export interface Asked {
  send(message: ToProcess): void;
}

/** Passes a question of one process on to all of them, and their answers back. */
export interface Asking {
  ask(name: keyof OwnAnswers): Promise<readonly unknown[]>;
  answered(by: Asked, id: number, answer: unknown): void;
  /** It answers nothing any more. */
  over(one: Asked): void;
}

/** Makes the asking of the processes that serve when a question arrives. */
export function createAsking(serving: () => readonly Asked[]): Asking {
  const questions = new Map<number, Map<Asked, (answer: unknown) => void>>();
  let last = 0;
  return {
    async ask(name) {
      last += 1;
      const id = last;
      const waiting = new Map<Asked, (answer: unknown) => void>();
      questions.set(id, waiting);
      const late = setTimeout(() => {
        for (const answer of waiting.values()) answer(undefined);
      }, ANSWER_WITHIN_MS);
      const answers = serving().map((one) => {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        waiting.set(one, resolve);
        one.send({ type: "question", id, name });
        return promise;
      });
      const given = await Promise.all(answers);
      clearTimeout(late);
      questions.delete(id);
      return given.filter((answer) => answer !== undefined);
    },
    answered: (by, id, answer) => questions.get(id)?.get(by)?.(answer),
    over(one) {
      for (const waiting of questions.values()) waiting.get(one)?.(undefined);
    },
  };
}
