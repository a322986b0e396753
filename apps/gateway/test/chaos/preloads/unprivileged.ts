// Loaded into a gateway before its own program: permissions of files do not bind the superuser.
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.getuid?.() === 0) process.setuid?.(Number(process.env.USER_ID));
