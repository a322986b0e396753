import { createServer } from "node:http";
import { works } from "./works.ts";

/** The insurer of every work: answers at once, each time something else. */
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const [path] = (request.url ?? "").split("?");
  // The declared adapter leaves the provider's segment out, the bare proxy does not.
  const work = works.find((one) => one.path.split("?")[0]?.endsWith(path ?? "") ?? false);
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    if (work === undefined) return void response.writeHead(404).end();
    const { body, type } = work.answer(Buffer.concat(pieces).toString());
    response
      .writeHead(work.status, { "content-type": type, "content-length": Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => process.send?.({ ready: true }));
process.once("disconnect", () => process.exit());
