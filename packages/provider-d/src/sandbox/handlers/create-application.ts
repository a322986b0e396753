import type { SandboxHandler } from "@insurance-gateway/adapter/sandbox";
import type { createApplication } from "../../endpoints/index.ts";
import { answerFor, type KeptApplication, receive } from "../application.ts";

export const createApplicationHandler: SandboxHandler<typeof createApplication, KeptApplication> = (
  { input, reference, scenario },
  records,
  clock,
) => {
  const received = receive(input.body, records.length + 1, clock());
  const { keep, ...answer } = answerFor(scenario, received);
  if (keep === undefined || reference === undefined) return { ...answer, ...(keep && { keep }) };
  return { ...answer, keep: keep.map((kept) => ({ ...kept, reference })) };
};
