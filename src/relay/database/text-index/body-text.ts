/** SQL for the body of an event as lower-case text; `alias` is that of the table `events`. */
export const bodyText = (alias: string) => `lower(CAST(${alias}.body AS TEXT))`;

/** SQL: whether a body contains a bound text; only A to Z match in both cases. */
export const bodyContains = (alias: string) => `instr(${bodyText(alias)}, lower(?)) > 0`;

/** Converts to lower case as SQLite's `lower` does: only A to Z. */
export const lowerLatin = (text: string) => text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
