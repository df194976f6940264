/** SQL for the body of an event as lower-case text; `alias` is that of the table `events`. */
export const bodyText = (alias: string) => `lower(CAST(${alias}.body AS TEXT))`;

/** Lower case as SQLite's `lower` makes it: only for A to Z. */
export const lowerLatin = (text: string) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
