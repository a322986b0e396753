/** A value of a list that the insurer may extend. Editors complete the known values; any other string is accepted. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);
