import type { Arrival, Behaviour } from "../harness/insurer.ts";

/**
 * Returns the behaviour of an insurer, or of a proxy in front of an insurer, that answers each request on an open
 * connection with the answer to the request before.
 */
export function shifting(answer: Behaviour): Behaviour {
  const before = new WeakMap<object, Arrival>();
  return (response, arrival) => {
    const { socket } = response;
    if (socket === null) throw new TypeError("A request of an insurer has a socket");
    const late = before.get(socket) ?? arrival;
    before.set(socket, arrival);
    answer(response, late);
  };
}
