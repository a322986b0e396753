// Loaded into a gateway before the gateway's program. It gives up the superuser's rights, which ignore permissions.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.getuid?.() === 0) process.setuid?.(Number(process.env.USER_ID));
