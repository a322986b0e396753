import { openPeers, START_SECRET } from "../../src/processes/peers.ts";

/**
 * A process as a supervisor starts it. It asks two questions, reports that it serves with the answers and what it was started
 * with, and reports that it ends once it is replaced.
 */
const peers = openPeers();
const { number, startSecret } = peers;
const known = { number, startSecret, isSecretLeft: START_SECRET in process.env };
const [ready, answers] = await Promise.all([peers.ask("ready"), peers.ask("answers")]);
peers.answerWith({
  ready: () => true,
  metrics: () => Promise.reject(new TypeError("fault")),
  providers: async () => ({ items: [], at: "now" }),
  answers: () => [],
});
peers.serving(JSON.stringify({ ...known, ready, answers }), peers.noticeMs());
await peers.replaced;
peers.ending(peers.noticeMs());
