/** Resolves when everything that was due has been done. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
