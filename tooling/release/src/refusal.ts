/** The reason why something is not packed or published, and the remedy. */
export interface Refusal {
  /** The reason for the refusal in one sentence. */
  readonly reason: string;
  /** One sentence or command that solves the problem. */
  readonly remedy: string;
}

/** All problems that one step of a release has found. */
export class ReleaseRefused extends Error {
  readonly refusals: readonly Refusal[];

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ reason, remedy }) => `${reason}\n  ${remedy}`).join("\n"));
    this.name = "ReleaseRefused";
    this.refusals = refusals;
  }
}

/**
 * Ends a step of the release.
 * @throws ReleaseRefused if there are any refusals
 */
export function refuse(refusals: readonly Refusal[]): void {
  if (refusals.length > 0) throw new ReleaseRefused(refusals);
}
