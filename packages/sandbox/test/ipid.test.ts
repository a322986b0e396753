import type { Ipid } from "@insurance-gateway/adapter/sandbox";
import { expect, it } from "vitest";
import { renderIpid } from "../src/ipid/render.ts";

const HEADINGS = [
  "Ποιο είναι αυτό το είδος ασφάλισης;",
  "Τι ασφαλίζεται;",
  "Τι δεν ασφαλίζεται;",
  "Υπάρχουν περιορισμοί στην κάλυψη;",
  "Πού είμαι καλυμμένος;",
  "Ποιες είναι οι υποχρεώσεις μου;",
  "Πότε και πώς πληρώνω;",
  "Πότε αρχίζει και πότε λήγει η κάλυψη;",
  "Πώς μπορώ να ακυρώσω τη σύμβαση;",
];

const ICONS = [
  "Ομπρέλα",
  "Χ μέσα σε τρίγωνο",
  "Θαυμαστικό μέσα σε τρίγωνο",
  "Υδρόγειος",
  "Χειραψία",
  "Νομίσματα",
  "Κλεψύδρα",
  "Ανοικτή παλάμη πάνω σε έγγραφο",
];

const WORDS = "Ζημίες του οχήματος από πυρκαγιά ή κλοπή, έως 20.000 € για κάθε έτος. ";

function items(count: number, words = WORDS): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index + 1}. ${words}`);
}

/** Returns a document with `load` times the usual text. */
function content(load: number, changes: Partial<Ipid> = {}): Ipid {
  const count = (usual: number): number => Math.ceil(usual * load);
  const paragraph = WORDS.repeat(count(5));
  return {
    reference: "C-0001",
    manufacturer: {
      name: "Παράδειγμα & Υιοί Α.Ε.Γ.Α.",
      memberState: "Ελλάδα",
      regulatoryStatus: "Ασφαλιστική επιχείρηση υπό την εποπτεία της Τράπεζας της Ελλάδος",
      authorisationNumber: "000000000000",
    },
    product: "Ασφάλιση αυτοκινήτου – «Βασικό»",
    statement: "Πλήρη προσυμβατική και συμβατική ενημέρωση παρέχουν άλλα έγγραφα.",
    type: WORDS.repeat(2),
    insured: items(count(9)),
    optional: items(count(3)),
    notInsured: items(count(7)),
    restrictions: items(count(5)),
    where: items(count(4)),
    obligations: items(count(6)),
    payment: paragraph,
    period: paragraph,
    cancellation: paragraph,
    ...changes,
  };
}

// Returns the readable bytes of a PDF: objects outside the compressed streams.
function readable(pdf: Uint8Array): string {
  return Buffer.from(pdf).toString("latin1");
}

// Returns a Greek string as the file contains it: UTF-16 with the high byte first, after a byte order mark.
function written(text: string): string {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le").swap16();
  return `(${bytes.toString("latin1")})`;
}

function pageCount(pdf: Uint8Array): number {
  return readable(pdf).match(/\/Type \/Page\b(?!s)/gu)?.length ?? 0;
}

it("the insurance product information document is a PDF of exactly two A4 pages", async () => {
  const pdf = await renderIpid(content(1));
  const text = readable(pdf);
  expect(text.startsWith("%PDF-1.7")).toBe(true);
  expect(pageCount(pdf)).toBe(2);
  expect(text).toContain("/Count 2");
  expect(text.match(/\/MediaBox \[0 0 595\.28 841\.89\]/gu)).toHaveLength(2);
});

it.each([0.1, 0.5, 1.2])(
  "the insurance product information document has two pages even with %f times the usual amount of text",
  async (load) => {
    expect(pageCount(await renderIpid(content(load)))).toBe(2);
  },
);

it("the insurance product information document has the same bytes for the same content", async () => {
  const [one, other] = [await renderIpid(content(1)), await renderIpid(content(1))];
  expect(Buffer.from(one).equals(Buffer.from(other))).toBe(true);
});

it("the insurance product information document is tagged and in Greek, and has its title in the metadata", async () => {
  const text = readable(await renderIpid(content(1)));
  expect(text).toContain("/Marked true");
  expect(text).toContain("/Lang (el)");
  expect(text).toContain("/DisplayDocTitle true");
  expect(text).toContain("<pdfuaid:part>1</pdfuaid:part>");
  expect(text).toContain(written("Έγγραφο πληροφοριών για το ασφαλιστικό προϊόν"));
});

it("the metadata of the insurance product information document stays valid if a name has markup characters", async () => {
  const pdf = await renderIpid(content(1, { product: "Α < Β & Γ" }));
  const metadata = /<x:xmpmeta[\s\S]*<\/x:xmpmeta>/u.exec(Buffer.from(pdf).toString("utf8"))?.[0];
  expect(metadata).toContain("Έγγραφο πληροφοριών");
  expect(metadata).not.toContain("&");
  expect(metadata).not.toMatch(/< /u);
});

it("the insurance product information document embeds the regular font and the bold font", async () => {
  const text = readable(await renderIpid(content(1)));
  expect(text).toMatch(/\/FontName \/[A-Z]{6}\+DejaVuSans\b/u);
  expect(text).toMatch(/\/FontName \/[A-Z]{6}\+DejaVuSans-Bold\b/u);
  expect(text.match(/\/FontFile2 /gu)).toHaveLength(2);
  expect(text).not.toContain("Helvetica");
});

it("the insurance product information document has the nine sections in the order of the regulation", async () => {
  const text = readable(await renderIpid(content(1)));
  const places = HEADINGS.map((heading) => text.indexOf(`/T ${written(heading)}`));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

it("the insurance product information document has an alternative text for every icon", async () => {
  const text = readable(await renderIpid(content(1)));
  for (const icon of ICONS) expect(text).toContain(`/Alt ${written(icon)}`);
});

it("the insurance product information document has a tick, cross or warning symbol before every list item except the optional covers", async () => {
  const few = content(1, { insured: items(3), optional: items(5) });
  const text = readable(await renderIpid(few));
  expect(text.split(`/Alt ${written("Ασφαλίζεται")}`)).toHaveLength(3 + 1);
  expect(text.split(`/Alt ${written("Δεν ασφαλίζεται")}`)).toHaveLength(7 + 1);
  expect(text.split(`/Alt ${written("Περιορισμός")}`)).toHaveLength(5 + 1);
  expect(text.split(`/Alt ${written("Καλύπτεται")}`)).toHaveLength(4 + 1);
  const labels = text.match(/\/S \/Lbl\b/gu) ?? [];
  expect(labels).toHaveLength(3 + 7 + 5 + 4 + 6);
});

it("the rendering of the insurance product information document fails if the texts do not fit on two pages in legible type", async () => {
  await expect(renderIpid(content(4))).rejects.toThrow(
    /application C-0001 does not fit on two A4 pages: at the smallest legible type of 7 pt/u,
  );
});
