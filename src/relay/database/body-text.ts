/** SQL for the text of an event's body, lower case, to search in; `alias` is the events table's. */
export const bodyText = (alias: string) => `lower(CAST(${alias}.body AS TEXT))`;
