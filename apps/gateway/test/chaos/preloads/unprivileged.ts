// Node loads this file before the gateway's program. It gives up root's rights, because root ignores file permissions.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.getuid?.() === 0) process.setuid?.(Number(process.env.USER_ID));
