// A gateway loads this file before its program. The file gives up the superuser's rights, because a superuser may use
// files without permission.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.getuid?.() === 0) process.setuid?.(Number(process.env.USER_ID));
