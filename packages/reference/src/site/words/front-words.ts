/** The texts of the front page. */
export const frontWords = {
  title: { en: "Reference", el: "Τεκμηρίωση" },
  summary: {
    en: "One HTTP gateway in front of many insurers: its endpoints, errors and guides.",
    el: "Μία πύλη HTTP για πολλές ασφαλιστικές: κλήσεις, σφάλματα και οδηγοί.",
  },
  heading: { en: "One address for every insurer", el: "Μία διεύθυνση για κάθε ασφαλιστική" },
  lead: {
    en: "Lookups, quotes, applications and documents of your insurers behind one base address and one token. Every failure says whether the insurer acted.",
    el: "Κατάλογοι, προσφορές, αιτήσεις και έγγραφα των ασφαλιστικών σας πίσω από μία διεύθυνση και ένα διακριτικό πρόσβασης (token). Κάθε αποτυχία αναφέρει αν η ασφαλιστική ενήργησε.",
  },
  searchNeedsScripts: {
    en: "The search needs JavaScript; the list below has every provider.",
    el: "Η αναζήτηση χρειάζεται JavaScript· η λίστα πιο κάτω έχει κάθε ασφαλιστική.",
  },
  start: { en: "First call in one minute", el: "Η πρώτη κλήση σε ένα λεπτό" },
  token: { en: "Get a token.", el: "Πάρτε ένα διακριτικό (token)." },
  tokenFromDevelopment: {
    en: "This gateway has a development issuer; its tokens are valid only on this gateway.",
    el: "Αυτή η πύλη εκδίδει διακριτικά για ανάπτυξη, που ισχύουν μόνο σε αυτήν.",
  },
  tokenFromOperator: {
    en: "Tokens come from the issuer that your operator configured.",
    el: "Τα διακριτικά εκδίδονται από τον εκδότη που όρισε ο διαχειριστής σας.",
  },
  call: { en: "Call.", el: "Καλέστε." },
  callText: {
    en: "Copy a snippet: it has your token once you have one.",
    el: "Αντιγράψτε ένα παράδειγμα: περιέχει το διακριτικό σας μόλις το έχετε.",
  },
  prepare: { en: "Prepare for failures.", el: "Προετοιμαστείτε για αποτυχίες." },
  prepareText: {
    en: "See what happens when the answer to an application is lost, in ten seconds:",
    el: "Δείτε σε δέκα δευτερόλεπτα τι συμβαίνει όταν χάνεται η απάντηση σε μια αίτηση:",
  },
  loseOne: { en: "Lose an answer", el: "Χάστε μια απάντηση" },
  endpoints: { en: "Endpoints", el: "Κλήσεις" },
  more: { en: "more endpoints", el: "ακόμη κλήσεις" },
  without: { en: "No endpoint yet:", el: "Χωρίς κλήσεις ακόμη:" },
  outcomes: { en: "Did the insurer act?", el: "Ενήργησε η ασφαλιστική;" },
  outcomesText: {
    en: "Every failed call says so, in one word:",
    el: "Κάθε αποτυχημένη κλήση το αναφέρει με μία λέξη:",
  },
  notSent: {
    en: "The insurer never received the request.",
    el: "Η ασφαλιστική δεν έλαβε ποτέ το αίτημα.",
  },
  rejected: { en: "The insurer refused the request.", el: "Αρνήθηκε το αίτημα." },
  unknown: {
    en: "The insurer may have acted; the gateway finds out.",
    el: "Ίσως ενήργησε· η πύλη το διαπιστώνει.",
  },
  executed: {
    en: "The insurer acted, and its answer cannot be used.",
    el: "Ενήργησε· η απάντησή της δεν είναι αξιοποιήσιμη.",
  },
  aboutOutcomes: {
    en: "How outcomes and keys work",
    el: "Πώς λειτουργούν οι εκβάσεις και τα κλειδιά",
  },
  aboutErrors: { en: "Every error code", el: "Όλοι οι κωδικοί σφαλμάτων" },
  aboutScenarios: { en: "Test values of the sandbox", el: "Δοκιμαστικές τιμές" },
  guides: { en: "Guides", el: "Οδηγοί" },
  guidesText: {
    en: "For developers and operators.",
    el: "Στα αγγλικά, για προγραμματιστές και διαχειριστές.",
  },
} as const;
