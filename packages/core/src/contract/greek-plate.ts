import type { Normaliser } from "./endpoint.ts";

/** The fourteen Greek capital letters that look like Latin letters. Greek plates have only these letters. */
const LATIN: Readonly<Record<string, string>> = {
  Α: "A",
  Β: "B",
  Ε: "E",
  Ζ: "Z",
  Η: "H",
  Ι: "I",
  Κ: "K",
  Μ: "M",
  Ν: "N",
  Ο: "O",
  Ρ: "P",
  Τ: "T",
  Υ: "Y",
  Χ: "X",
};

/** Normaliser of registration plates to Latin capitals and digits: insurers drop spaces and use either alphabet. */
export const greekPlate: Normaliser = {
  name: "plate",
  normalise: (text) =>
    text
      .normalize("NFKC")
      .toUpperCase()
      .replaceAll(/[\s\p{Dash}]/gu, "")
      .replaceAll(/[Α-Ω]/g, (letter) => LATIN[letter] ?? letter),
  examples: [
    ["ΙΚΥ-1234", "IKY1234"],
    ["ικυ 1234", "ΙΚΥ-1234"],
  ],
};
