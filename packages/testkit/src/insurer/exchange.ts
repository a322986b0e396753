import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { alteredAnswers } from "./altered-answers.ts";
import { sendAnswer } from "./answer-on-the-wire.ts";
import { resetOnMore } from "./connections.ts";
import type {
  AlteredAnswerName,
  FaultName,
  FixedAnswerName,
  WireFaultName,
} from "./fault-names.ts";
import { fixedAnswers } from "./fixed-answers.ts";
import type { InsurerAnswer } from "./insurer.ts";
import { wireFaults } from "./wire-faults.ts";

/** Faults that can occur after a request was read. */
export type RequestFaultName = Exclude<FaultName, "refuse" | "accept-and-reset">;

/** An arrived request, with the means to answer it. */
export interface Exchange {
  readonly socket: Socket;
  readonly response: ServerResponse;
  /** True if the connection stays open after a normal answer. */
  readonly keepAlive: boolean;
  /** The delay of a late answer, in milliseconds. */
  readonly lateAfterMs: number;
  /** Carries out the request. */
  execute(): Promise<InsurerAnswer>;
}

/** Handles a request with its fault, or normally if the fault is null. */
export async function handleRequest(
  fault: RequestFaultName | null,
  exchange: Exchange,
): Promise<void> {
  const { response, socket } = exchange;
  if (fault === null) sendAnswer(response, await exchange.execute(), exchange.keepAlive);
  else if (fault === "keep-alive-closed") {
    const answer = await exchange.execute();
    resetOnMore(socket);
    sendAnswer(response, answer, exchange.keepAlive);
  } else if (isWireFault(fault)) {
    const wire = wireFaults[fault];
    if (wire.executes) wire.act(socket, await exchange.execute(), exchange.lateAfterMs);
    else wire.act(socket);
  } else if (isAlteredAnswer(fault)) {
    const answer = await exchange.execute();
    sendAnswer(response, alteredAnswers[fault].alter(answer), false);
  } else {
    const { answer, executes } = fixedAnswers[fault];
    if (executes) await exchange.execute();
    sendAnswer(response, answer, false);
  }
}

function isWireFault(fault: RequestFaultName): fault is WireFaultName {
  return fault in wireFaults;
}

function isAlteredAnswer(fault: AlteredAnswerName | FixedAnswerName): fault is AlteredAnswerName {
  return fault in alteredAnswers;
}
