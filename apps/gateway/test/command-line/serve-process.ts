import { serve } from "../../src/command-line/serve.ts";

/** Serves as one of several processes; the test is their supervisor. */
await serve({ processes: 2 });
