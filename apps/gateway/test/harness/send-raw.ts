import { once } from "node:events";
import { connect } from "node:net";

/** Sends bytes on a connection of its own and gives everything that came back until it ended. */
export async function sendRaw(address: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}
