/** A value of a list that the insurer may extend: the known ones are completed by an editor, any other string is accepted. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);
