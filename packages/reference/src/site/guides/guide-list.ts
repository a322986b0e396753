import type { Text } from "../words/language.ts";

/** A document of `docs/` that the reference shows. */
export interface ListedGuide {
  /** The file name without `.md`. */
  readonly name: string;
  readonly reader: "developer" | "operator";
  /** The subject in one line. */
  readonly idea: Text;
}

/** The guides in order: first for developers, then for operators. Documents for contributors are not in the list. */
export const listedGuides: readonly ListedGuide[] = [
  {
    name: "first-calls",
    reader: "developer",
    idea: {
      en: "The seven calls of the project's specification, ready to paste into a terminal.",
      el: "Οι επτά κλήσεις της προδιαγραφής, έτοιμες για επικόλληση σε τερματικό.",
    },
  },
  {
    name: "submissions",
    reader: "developer",
    idea: {
      en: "Why no application is lost or created twice, and what keys are for.",
      el: "Γιατί καμία αίτηση δεν χάνεται ούτε δημιουργείται δύο φορές, και σε τι χρησιμεύουν τα κλειδιά.",
    },
  },
  {
    name: "errors",
    reader: "developer",
    idea: {
      en: "How to read a problem: code, outcome, retry.",
      el: "Πώς διαβάζεται ένα σφάλμα: code, outcome, retry.",
    },
  },
  {
    name: "faults",
    reader: "developer",
    idea: {
      en: "The answer to each fault of an insurer.",
      el: "Η απάντηση σε κάθε σφάλμα ενός ασφαλιστή.",
    },
  },
  {
    name: "glossary",
    reader: "developer",
    idea: { en: "One word for one thing.", el: "Μία λέξη για κάθε έννοια." },
  },
  {
    name: "clients",
    reader: "developer",
    idea: {
      en: "Clients in Python, PHP, Java and C#.",
      el: "Προγράμματα-πελάτες σε Python, PHP, Java και C#.",
    },
  },
  {
    name: "testing-applications",
    reader: "developer",
    idea: {
      en: "Test lost answers, refusals and slow insurers without a network.",
      el: "Δοκιμές χαμένων απαντήσεων, αρνήσεων και καθυστερήσεων χωρίς δίκτυο.",
    },
  },
  {
    name: "deploying",
    reader: "operator",
    idea: {
      en: "Install the gateway, with one process or several.",
      el: "Εγκατάσταση της πύλης, με μία διεργασία ή περισσότερες.",
    },
  },
  {
    name: "configuration",
    reader: "operator",
    idea: { en: "Every key of the configuration.", el: "Κάθε κλειδί της διαμόρφωσης." },
  },
  {
    name: "credentials",
    reader: "operator",
    idea: {
      en: "How the gateway identifies itself to insurers.",
      el: "Πώς ταυτοποιείται η πύλη στις ασφαλιστικές.",
    },
  },
  {
    name: "accounts",
    reader: "operator",
    idea: { en: "One gateway for many brokers.", el: "Μία πύλη για πολλούς μεσίτες." },
  },
  { name: "command-line", reader: "operator", idea: { en: "Every command.", el: "Κάθε εντολή." } },
  {
    name: "limits",
    reader: "operator",
    idea: {
      en: "Timeouts, retries, overload, and how failures are kept apart.",
      el: "Χρονικά όρια, επαναλήψεις, υπερφόρτωση και απομόνωση αποτυχιών.",
    },
  },
  {
    name: "observing",
    reader: "operator",
    idea: { en: "Health, metrics and logs.", el: "Υγεία, μετρήσεις και αρχεία καταγραφής." },
  },
  {
    name: "alerts",
    reader: "operator",
    idea: {
      en: "What to do when an alert fires.",
      el: "Τι να κάνετε όταν ενεργοποιείται μια ειδοποίηση.",
    },
  },
  {
    name: "reconciliation",
    reader: "operator",
    idea: {
      en: "Find out and resolve what happened to a submission.",
      el: "Διαπίστωση και επίλυση της έκβασης μιας υποβολής.",
    },
  },
  {
    name: "checking-answers",
    reader: "operator",
    idea: {
      en: "How the gateway notices another customer's answer.",
      el: "Πώς η πύλη εντοπίζει την απάντηση άλλου πελάτη.",
    },
  },
  {
    name: "backup",
    reader: "operator",
    idea: { en: "Back up and restore the store.", el: "Αντίγραφα ασφαλείας και επαναφορά." },
  },
  {
    name: "upgrading",
    reader: "operator",
    idea: {
      en: "Replace processes and change secrets while the gateway serves.",
      el: "Αντικατάσταση διεργασιών και αλλαγή μυστικών χωρίς διακοπή.",
    },
  },
  {
    name: "usage",
    reader: "operator",
    idea: {
      en: "Usage, quotas and the availability of insurers.",
      el: "Χρήση, ποσοστώσεις και διαθεσιμότητα των ασφαλιστικών.",
    },
  },
  {
    name: "drift",
    reader: "operator",
    idea: {
      en: "Notice an insurer's changes before your callers do.",
      el: "Εντοπισμός αλλαγών ενός ασφαλιστή πριν από τους καλούντες.",
    },
  },
  {
    name: "security",
    reader: "operator",
    idea: {
      en: "What the gateway promises, and its limits.",
      el: "Τι υπόσχεται η πύλη και ποια είναι τα όριά της.",
    },
  },
  {
    name: "threats",
    reader: "operator",
    idea: {
      en: "Attacks, and the protection against each.",
      el: "Επιθέσεις και η προστασία από καθεμία.",
    },
  },
  {
    name: "security-standards",
    reader: "operator",
    idea: {
      en: "The gateway beside two OWASP lists.",
      el: "Η πύλη σε σύγκριση με δύο καταλόγους του OWASP.",
    },
  },
];
