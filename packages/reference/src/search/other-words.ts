import type { EndpointKind } from "@insurance-gateway/core/runtime";
import type { SitePaths } from "../site/paths.ts";

/** The words that people type for each line of insurance. */
export const lineWords: Readonly<Record<string, string>> = {
  motor: "car auto vehicle automobile αυτοκίνητο όχημα ασφάλεια αυτοκινήτου",
  travel: "trip journey ταξίδι ταξιδιωτική",
  life: "ζωή ασφάλεια ζωής",
  pension: "retirement savings σύνταξη συνταξιοδότηση αποταμίευση",
  health: "medical hospital υγεία νοσοκομείο",
  property: "home house fire κατοικία σπίτι περιουσία πυρός",
  liability: "αστική ευθύνη",
  marine: "boat yacht ship σκάφος",
};

/** The words that people type for each kind of endpoint. */
export const kindWords: Readonly<Record<EndpointKind, string>> = {
  lookup: "list codes reference data λίστα κωδικοί",
  quote: "price calculate offer τιμή προσφορά υπολογισμός",
  submission: "submit submission apply create send new αίτηση υποβολή κλειδί idempotency key",
  search: "find list history αναζήτηση",
  document: "download file pdf έγγραφο αρχείο",
  read: "get show state status",
};

/** The words that people type for a field, by a word in the field's name. */
export const termWords: Readonly<Record<string, string>> = {
  plate: "registration license number πινακίδα πινακίδες",
  afm: "tax number vat tin",
  premium: "price cost τιμή κόστος",
  dob: "birth birthday age ηλικία",
  ipid: "insurance product information document",
};

/** A page: its address, its name, a description in one line, and further search words. */
type PageWords = readonly [href: string, name: string, note: string, words: string];

const sandboxWords = (paths: SitePaths): readonly PageWords[] => [
  [
    paths.lostAnswer,
    "Lose an answer",
    "Send an application, lose its answer, and find out what happened",
    "lost answer timeout 504 demo",
  ],
  [
    paths.sandbox,
    "Sandbox",
    "Test values of the simulated insurers",
    "test scenario mock simulated δοκιμή",
  ],
];

/** The pages that are not the page of an endpoint, a provider, a problem code, a scenario or a guide. */
export const pageWords = (paths: SitePaths): readonly PageWords[] => [
  [
    paths.outcomes,
    "Outcomes",
    "Whether the insurer acted, and what to do next",
    "retry idempotency key duplicate twice",
  ],
  ...(paths.hasSandbox ? sandboxWords(paths) : []),
  [paths.limits, "Limits", "Sizes, times and rates", "limit quota rate throttle maximum size"],
  [
    paths.collections,
    "Collections",
    "Files for Postman, Bruno and other clients",
    "postman bruno insomnia hoppscotch download openapi",
  ],
  [paths.errors, "Errors", "Every problem code", "error problem fault exception σφάλμα"],
  [
    paths.catalogue,
    "Providers",
    "Every provider with its lines and endpoints",
    "catalogue insurers companies ασφαλιστικές εταιρείες",
  ],
];
