import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** An exchange that passed through the recorder. */
export interface Recorded {
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  readonly status: number;
}

/** A proxy that passes every request on unchanged and records the answers. */
export interface Recorder {
  readonly address: string;
  /** Sets the address to which the recorder passes requests. */
  aimAt(address: string): void;
  /** Returns the requests since the last call. */
  takeRecorded(): readonly Recorded[];
  /** True if the recorder closes the connection instead of answering a POST. */
  losesAnswers: boolean;
  close(): Promise<void>;
}

/** Starts a recorder on a loopback port. */
export async function startRecorder(): Promise<Recorder> {
  let target = "";
  let recorded: Recorded[] = [];
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { headers, method = "", url = "" } = incoming;
    const passed = request(target + url, { method, headers }, (answer) => {
      const status = answer.statusCode ?? 0;
      recorded.push({ method, path: url.split("?")[0] ?? "", status });
      if (recorder.losesAnswers && method === "POST") {
        answer.resume().once("end", () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(status, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    passed.once("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const bound = server.address();
  if (typeof bound !== "object" || bound === null) throw new TypeError("The recorder has no port");
  const recorder: Recorder = {
    losesAnswers: false,
    address: `http://127.0.0.1:${bound.port}`,
    aimAt(address) {
      target = address;
    },
    takeRecorded() {
      const all = recorded;
      recorded = [];
      return all;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return recorder;
}
