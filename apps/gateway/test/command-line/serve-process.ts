import { serve } from "../../src/command-line/serve.ts";

/** Serves as its argument says: alone; as one of several, with its parent as the supervisor; or asked to end while it starts. */
const [, , way = "alone"] = process.argv;

const served = serve(way === "peer" ? { processes: 2 } : {});
if (way === "ending") process.emit("SIGTERM");
await served;
