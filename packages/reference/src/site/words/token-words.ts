/** The texts of the token field, including the texts that scripts show later. */
export const tokenWords = {
  token: { en: "Token", el: "Διακριτικό (token)" },
  paste: { en: "Paste a token", el: "Επικολλήστε ένα" },
  take: { en: "Get a development token", el: "Διακριτικό για ανάπτυξη" },
  kept: {
    en: "This tab keeps the token until you close the tab, and sends the token only to this gateway.",
    el: "Διατηρείται έως ότου κλείσετε την καρτέλα και αποστέλλεται μόνο σε αυτή την πύλη.",
  },
  missing: { en: "Sending needs a token.", el: "Η αποστολή χρειάζεται διακριτικό." },
  refused: {
    en: "The gateway does not accept this token.",
    el: "Η πύλη δεν δέχεται αυτό το διακριτικό.",
  },
  unusable: {
    en: "A token has only ASCII characters and no spaces. Copy it again.",
    el: "Ένα διακριτικό έχει μόνο χαρακτήρες ASCII, χωρίς κενά. Αντιγράψτε το ξανά.",
  },
  fromDevelopment: {
    en: "Press “Get a development token”, or paste a token.",
    el: "Πατήστε «Διακριτικό για ανάπτυξη» ή επικολλήστε ένα.",
  },
  fromOperator: {
    en: "Paste a token from the issuer that your operator configured.",
    el: "Επικολλήστε ένα από τον εκδότη που όρισε ο διαχειριστής σας.",
  },
  /** In these texts, `#` stands for the number of hours for which the token is valid. */
  inUse: {
    en: "This tab uses a token that is valid for # hours.",
    el: "Σε χρήση σε αυτή την καρτέλα, για # ώρες.",
  },
  unavailable: {
    en: "Open the address that the gateway printed when it started, on its machine, and try again. Or run `npm run --silent token` there.",
    el: "Ανοίξτε στο μηχάνημα της πύλης τη διεύθυνση που τύπωσε όταν ξεκίνησε και δοκιμάστε ξανά. Ή εκτελέστε εκεί `npm run --silent token`.",
  },
} as const;
