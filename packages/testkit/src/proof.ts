/** Returns the end of a fault's message, which explains where a package states why it does not prove a declaration. */
export function unprovenHint(key: string): string {
  return `, or write in \`unproven\` why it cannot be proven: { ${JSON.stringify(key)}: "..." }`;
}

/** Removes the faults for which a package states a reason, and adds faults for empty or unnecessary reasons. */
export function withoutUnproven(
  faults: readonly string[],
  unproven: Readonly<Record<string, string>> = {},
): readonly string[] {
  const isOf = (key: string) => (fault: string) => fault.endsWith(unprovenHint(key));
  const keys = Object.keys(unproven);
  return [
    ...faults.filter((fault) => !keys.some((key) => isOf(key)(fault))),
    ...keys
      .filter((key) => !faults.some(isOf(key)))
      .map((key) => `\`unproven\` has ${key}, which is proven or does not exist; remove it`),
    ...keys
      .filter((key) => unproven[key]?.trim() === "")
      .map((key) => `\`unproven\` must have a reason for ${key}`),
  ];
}
