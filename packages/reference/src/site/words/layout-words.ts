/** The texts around the content of every page. */
export const layoutWords = {
  toContent: { en: "To the content", el: "Στο περιεχόμενο" },
  menu: { en: "Menu", el: "Μενού" },
  pages: { en: "Pages", el: "Σελίδες" },
  providers: { en: "Providers", el: "Ασφαλιστικές" },
  gateway: { en: "Gateway", el: "Πύλη" },
  guides: { en: "Guides", el: "Οδηγοί" },
  errors: { en: "Errors", el: "Σφάλματα" },
  outcomes: { en: "Outcomes", el: "Εκβάσεις" },
  lostAnswer: { en: "Lose an answer", el: "Χαμένη απάντηση" },
  sandbox: { en: "Sandbox", el: "Δοκιμές" },
  limits: { en: "Limits", el: "Όρια" },
  collections: { en: "Collections", el: "Συλλογές" },
  generated: {
    en: "Generated from the declarations that the gateway itself uses.",
    el: "Παράγεται από τις ίδιες δηλώσεις που χρησιμοποιεί η πύλη.",
  },
  copy: { en: "Copy", el: "Αντιγραφή" },
  copied: { en: "Copied", el: "Αντιγράφηκε" },
  marked: { en: "Marked", el: "Επιλέχθηκε" },
  labels: { en: "Greek labels", el: "Ελληνικές ετικέτες" },
} as const;
