/** Formats a number of bytes for messages: `64 kB` for whole kilobytes. */
export function formatBytes(bytes: number): string {
  return bytes % 1024 === 0 ? `${bytes / 1024} kB` : `${bytes} bytes`;
}

/** Formats milliseconds as seconds for messages: `30 seconds`, `0.3 seconds`. */
export function formatSeconds(milliseconds: number): string {
  return milliseconds === 1_000 ? "1 second" : `${milliseconds / 1_000} seconds`;
}
