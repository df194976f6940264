/** SQL for the text of an event's body, lower case, to search in; `alias` is the events table's. */
export const bodyText = (alias: string) => `lower(CAST(${alias}.body AS TEXT))`;

/** A text in small letters as the database makes them: it knows capitals of A to Z alone. */
export const lowerLatin = (text: string) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
