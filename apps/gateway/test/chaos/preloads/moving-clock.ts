// A gateway loads this file before its program. The file sets the clock ahead by the milliseconds in CLOCK_FILE.
import { readFileSync, watchFile } from "node:fs";

const CHECK_INTERVAL_MS = 50;

const file = process.env.CLOCK_FILE ?? "";
let ahead = Number(readFileSync(file, "utf8"));
watchFile(file, { interval: CHECK_INTERVAL_MS, persistent: false }, () => {
  const text = readFileSync(file, "utf8");
  if (text !== "") ahead = Number(text);
});
const now = Date.now.bind(Date);
Date.now = () => now() + ahead;
