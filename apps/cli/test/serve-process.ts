import { serve } from "@insurance-gateway/gateway/serve";

/** Serves; with the argument `ending` it is asked to end while it starts. */
const served = serve();
if (process.argv[2] === "ending") process.emit("SIGTERM");
await served;
