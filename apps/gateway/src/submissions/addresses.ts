/** Where a submission's own caller asks what became of it. */
export function submissionAddress(basePath: string, id: string): string {
  return `${basePath}/submissions/${id}`;
}
