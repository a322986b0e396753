/** The trace id, parent id and header of the specification's own example. */
export const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
export const PARENT_ID = "00f067aa0ba902b7";
const EXAMPLE: string = `00-${TRACE_ID}-${PARENT_ID}-01`;

/** A `traceparent` that is believed, and the flags that are passed on. */
export interface Believed {
  readonly name: string;
  readonly traceparent: string;
  readonly flags: number;
}

export const believed: readonly Believed[] = [
  { name: "the specification's example", traceparent: EXAMPLE, flags: 1 },
  { name: "one that is not sampled", traceparent: `00-${TRACE_ID}-${PARENT_ID}-00`, flags: 0 },
  { name: "a random trace id (level 2)", traceparent: `00-${TRACE_ID}-${PARENT_ID}-03`, flags: 3 },
  { name: "flags that are not defined", traceparent: `00-${TRACE_ID}-${PARENT_ID}-ff`, flags: 3 },
  { name: "a later version", traceparent: `01-${TRACE_ID}-${PARENT_ID}-01`, flags: 1 },
  { name: "a later version's flags", traceparent: `cc-${TRACE_ID}-${PARENT_ID}-ff`, flags: 1 },
  {
    name: "a later version with more",
    traceparent: `cc-${TRACE_ID}-${PARENT_ID}-01-what`,
    flags: 1,
  },
  { name: "a later version with a dash", traceparent: `fe-${TRACE_ID}-${PARENT_ID}-01-`, flags: 1 },
];

/** Values of all `traceparent` headers that begin a new trace. */
export const notBelieved: Readonly<Record<string, readonly string[]>> = {
  "no header": [],
  "an empty one": [""],
  "two of them": [EXAMPLE, EXAMPLE],
  "two in one": [`${EXAMPLE}, ${EXAMPLE}`],
  words: ["maria@example.gr"],
  "a trace id of zeros": [`00-${"0".repeat(32)}-${PARENT_ID}-01`],
  "a trace id that is a number": [`00-${"094772316".padStart(32, "0")}-${PARENT_ID}-01`],
  "a parent id of zeros": [`00-${TRACE_ID}-${"0".repeat(16)}-01`],
  "a trace id in upper case": [`00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`],
  "a parent id in upper case": [`00-${TRACE_ID}-${PARENT_ID.toUpperCase()}-01`],
  "flags in upper case": [`00-${TRACE_ID}-${PARENT_ID}-0A`],
  "flags that are no number": [`00-${TRACE_ID}-${PARENT_ID}-0x`],
  "a trace id that is too short": [`00-${TRACE_ID.slice(1)}-${PARENT_ID}-01`],
  "a trace id that is too long": [`00-${TRACE_ID}0-${PARENT_ID}-01`],
  "a trace id with other letters": [`00-${TRACE_ID.slice(1)}g-${PARENT_ID}-01`],
  "a parent id that is too short": [`00-${TRACE_ID}-${PARENT_ID.slice(1)}-01`],
  "no flags": [`00-${TRACE_ID}-${PARENT_ID}`],
  "one digit of flags": [`00-${TRACE_ID}-${PARENT_ID}-1`],
  "version 00 with more": [`${EXAMPLE}-what`],
  "version 00 with a dash": [`${EXAMPLE}-`],
  "version ff": [`ff-${TRACE_ID}-${PARENT_ID}-01`],
  "a version of one digit": [`0-${TRACE_ID}-${PARENT_ID}-01`],
  "a version that is no number": [`0x-${TRACE_ID}-${PARENT_ID}-01`],
  "a later version with more that no dash parts": [`cc-${TRACE_ID}-${PARENT_ID}-01.what`],
  "a later version that is too short": [`cc-${TRACE_ID}-${PARENT_ID}-0`],
  "another character between": [`00_${TRACE_ID}_${PARENT_ID}_01`],
  "a space before": [` ${EXAMPLE}`],
  "a line break after": [`${EXAMPLE}\n`],
};
