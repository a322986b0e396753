import type { VehicleUsage } from "../schemas/vehicle-usage.ts";

/** The usages that Greek motor insurance distinguishes, by code. */
export const vehicleUsages: readonly VehicleUsage[] = [
  {
    code: "00",
    name: "Private car",
    nameEl: "Επιβατηγό ιδιωτικής χρήσης (ΕΙΧ)",
    category: "PRIVATE",
  },
  { code: "10", name: "Taxi", nameEl: "Επιβατηγό δημόσιας χρήσης (ΕΔΧ ταξί)", category: "TAXI" },
  {
    code: "20",
    name: "Private truck up to 3.5 tonnes",
    nameEl: "Φορτηγό ιδιωτικής χρήσης (ΦΙΧ) έως 3,5 τόνους",
    category: "TRUCK_PRIVATE",
  },
  {
    code: "21",
    name: "Private truck over 3.5 tonnes",
    nameEl: "Φορτηγό ιδιωτικής χρήσης (ΦΙΧ) άνω των 3,5 τόνων",
    category: "TRUCK_PRIVATE",
  },
  {
    code: "22",
    name: "Public truck",
    nameEl: "Φορτηγό δημόσιας χρήσης (ΦΔΧ)",
    category: "TRUCK_PUBLIC",
  },
  {
    code: "30",
    name: "Farm truck",
    nameEl: "Φορτηγό αγροτικής χρήσης (αγροτικό)",
    category: "AGRICULTURAL",
  },
  {
    code: "31",
    name: "Agricultural tractor",
    nameEl: "Γεωργικός ελκυστήρας (τρακτέρ)",
    category: "AGRICULTURAL",
  },
  {
    code: "40",
    name: "Motorcycle",
    nameEl: "Μοτοσυκλέτα ιδιωτικής χρήσης",
    category: "MOTORCYCLE",
  },
  { code: "41", name: "Moped", nameEl: "Μοτοποδήλατο", category: "MOTORCYCLE" },
  { code: "50", name: "Public bus", nameEl: "Λεωφορείο δημόσιας χρήσης (ΛΔΧ)", category: "BUS" },
  { code: "51", name: "Private bus", nameEl: "Λεωφορείο ιδιωτικής χρήσης (ΛΙΧ)", category: "BUS" },
  {
    code: "60",
    name: "Hire car without driver",
    nameEl: "Ενοικιαζόμενο επιβατηγό χωρίς οδηγό",
    category: "HIRE",
  },
  { code: "70", name: "Trailer", nameEl: "Ρυμουλκούμενο", category: "OTHER" },
  { code: "80", name: "Construction machinery", nameEl: "Μηχάνημα έργου (ΜΕ)", category: "OTHER" },
  {
    code: "90",
    name: "Driving school car",
    nameEl: "Εκπαιδευτικό όχημα σχολής οδηγών",
    category: "OTHER",
  },
];
