import type { Arrival, Behaviour } from "../harness/insurer.ts";

/**
 * Makes an insurer, or a proxy in front of one, whose answers come late: on a connection that was used before, it answers
 * the request before.
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
