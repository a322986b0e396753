import { createServer } from "node:http";
import { workForPath } from "./works.ts";

/** The simulated insurer of all works. It answers at once and differently each time. */
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const work = workForPath(request.url ?? "");
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
server.listen(Number(process.env.PORT), "127.0.0.1");
