import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import type { IconName, MarkName } from "./icons.ts";
import type { Tone } from "./palette.ts";

/** Part of a section's content. */
export type SectionPart =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "subheading"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[]; readonly mark?: MarkName };

/** One of the nine sections: its fixed heading, its icon if the regulation prescribes one, and its content. */
export interface Section {
  readonly heading: string;
  readonly icon?: IconName;
  readonly tone: Tone;
  readonly parts: readonly SectionPart[];
}

/** The nine sections by their position in the fixed order. */
export interface Sections {
  readonly type: Section;
  readonly insured: Section;
  readonly notInsured: Section;
  readonly restrictions: Section;
  readonly where: Section;
  readonly obligations: Section;
  readonly payment: Section;
  readonly period: Section;
  readonly cancellation: Section;
}

/** The document's title in Greek (Regulation (EU) 2017/1469, article 1). */
export const TITLE = "Έγγραφο πληροφοριών για το ασφαλιστικό προϊόν";

/** Greek labels around the content. The headings are in {@link toSections}. */
export const LABELS = {
  name: "Εταιρεία",
  memberState: "Κράτος μέλος εγγραφής",
  regulatoryStatus: "Ρυθμιστικό καθεστώς",
  authorisationNumber: "Αριθμός άδειας λειτουργίας",
  product: "Προϊόν",
  reference: "Αριθμός αίτησης",
} as const;

/**
 * Puts the content under the fixed Greek headings, with the icons and marks of Regulation (EU) 2017/1469, articles 5 to
 * 7.
 */
export function toSections(ipid: Ipid): Sections {
  return {
    type: {
      heading: "Ποιο είναι αυτό το είδος ασφάλισης;",
      tone: "blue",
      parts: [paragraph(ipid.type)],
    },
    insured: {
      heading: "Τι ασφαλίζεται;",
      icon: "umbrella",
      tone: "green",
      parts: [list(ipid.insured, "insured"), ...optionalCovers(ipid.optional)],
    },
    notInsured: {
      heading: "Τι δεν ασφαλίζεται;",
      icon: "exclusion",
      tone: "red",
      parts: [list(ipid.notInsured, "notInsured")],
    },
    restrictions: {
      heading: "Υπάρχουν περιορισμοί στην κάλυψη;",
      icon: "restriction",
      tone: "orange",
      parts: [list(ipid.restrictions, "restriction")],
    },
    where: {
      heading: "Πού είμαι καλυμμένος;",
      icon: "globe",
      tone: "blue",
      parts: [list(ipid.where, "where")],
    },
    obligations: {
      heading: "Ποιες είναι οι υποχρεώσεις μου;",
      icon: "handshake",
      tone: "green",
      parts: [list(ipid.obligations, "bullet")],
    },
    payment: {
      heading: "Πότε και πώς πληρώνω;",
      icon: "coins",
      tone: "yellow",
      parts: [paragraph(ipid.payment)],
    },
    period: {
      heading: "Πότε αρχίζει και πότε λήγει η κάλυψη;",
      icon: "hourglass",
      tone: "blue",
      parts: [paragraph(ipid.period)],
    },
    cancellation: {
      heading: "Πώς μπορώ να ακυρώσω τη σύμβαση;",
      icon: "palm",
      tone: "black",
      parts: [paragraph(ipid.cancellation)],
    },
  };
}

function paragraph(text: string): SectionPart {
  return { kind: "paragraph", text: insertNoBreakSpaces(text) };
}

function list(items: readonly string[], mark: MarkName): SectionPart {
  return { kind: "list", items: items.map(insertNoBreakSpaces), mark };
}

// Joins an amount with its euro sign, and the number of a law with its «ν.» or «π.δ.», by a no-break space.
function insertNoBreakSpaces(text: string): string {
  return text.replaceAll(/(?<=\d) (?=€)|(?<=(?:^|[\s(])(?:ν|π\.δ)\.) (?=\d)/gu, "\u00A0");
}

// Returns the optional covers, which must have no tick, cross or exclamation mark (article 6 of Regulation (EU)
// 2017/1469).
function optionalCovers(items: readonly string[]): readonly SectionPart[] {
  if (items.length === 0) return [];
  return [
    { kind: "subheading", text: "Προαιρετικές καλύψεις (με πρόσθετο ασφάλιστρο)" },
    { kind: "list", items: items.map(insertNoBreakSpaces) },
  ];
}
