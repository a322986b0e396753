import { serve } from "@insurance-gateway/gateway/serve";

/** Serves a gateway. With the argument `ending`, the process receives SIGTERM while the gateway starts. */
const served = serve();
if (process.argv[2] === "ending") process.emit("SIGTERM");
await served;
