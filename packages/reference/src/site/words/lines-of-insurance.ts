import type { Language, Text } from "./language.ts";

const lines: Readonly<Record<string, Text>> = {
  motor: { en: "motor", el: "αυτοκίνητο" },
  travel: { en: "travel", el: "ταξίδι" },
  life: { en: "life", el: "ζωή" },
  pension: { en: "pension", el: "σύνταξη" },
  home: { en: "home", el: "κατοικία" },
  health: { en: "health", el: "υγεία" },
  liability: { en: "liability", el: "αστική ευθύνη" },
  marine: { en: "marine", el: "σκάφη και μεταφορές" },
  legal: { en: "legal", el: "νομική προστασία" },
  pet: { en: "pet", el: "κατοικίδια" },
  business: { en: "business", el: "επιχείρηση" },
};

/** Returns the name of a line of insurance; an unknown line keeps its declared name. */
export function lineInWords(line: string, language: Language): string {
  return lines[line]?.[language] ?? line;
}
