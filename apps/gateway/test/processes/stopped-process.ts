import cluster from "node:cluster";
import { once } from "node:events";
import { type ClientRequest, createServer, get, type IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { handOverAtEnd } from "../../src/processes/handed-connections.ts";

/**
 * A program with as many processes as its argument says: it stops one, sends calls, kills the stopped process, and prints
 * how each call ended, as JSON.
 */
const PROCESSES = Number(process.argv[2]);
const CALLS = 4;

if (cluster.isPrimary) await killStopped();
else createServer((_request, response) => response.end()).listen(0, "127.0.0.1");

async function killStopped(): Promise<void> {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork());
  for (const worker of workers) handOverAtEnd(worker, () => PROCESSES > 1);
  const [listening] = await Promise.all(workers.map((worker) => once(worker, "listening")));
  const { port } = Object(listening?.[0]);
  const [stopped] = workers;
  stopped?.process.kill("SIGSTOP");

  const sent = Array.from({ length: CALLS }, () => get({ host: "127.0.0.1", port, agent: false }));
  const ended: ClientRequest[] = [];
  const ends = sent.map(async (call) => {
    const end = await endOf(call);
    ended.push(call);
    return end;
  });
  await Promise.all(sent.map((call) => once(call, "finish")));
  const expected = PROCESSES > 1 ? CALLS - 1 : 0;
  // The other process answers all but the one that waits for the stopped process.
  while (ended.length < expected) await turn();
  // This process, which distributes the connections, has accepted them.
  for (let turns = 0; turns < 10; turns += 1) await turn();
  stopped?.process.kill("SIGKILL");
  process.stdout.write(JSON.stringify(await Promise.all(ends)));
  process.exit();
}

/** The status of the answer, or the code of what broke. */
async function endOf(call: ClientRequest): Promise<number | string> {
  try {
    const [response]: IncomingMessage[] = await once(call, "response");
    return response?.resume().statusCode ?? "";
  } catch (error) {
    return Object(error).code;
  }
}
