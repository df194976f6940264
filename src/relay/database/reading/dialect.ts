/**
 * The SQL of queries outside this folder that differs between database engines, as SQLite understands it;
 * `postgres/translate-sql.ts` has the counterpart of each for PostgreSQL. Everything else there is standard SQL, or
 * common to both; `test/unit/project/portable-sql.test.ts` checks that.
 */

/** What a list that is bound as one JSON array consists of; SQLite sees that from the values themselves. */
type ListOf = 'numbers' | 'texts';

/** SQL: whether the value to the left is in a list, which is bound as one JSON array. */
export const inJsonList = (parameter = '?', of: ListOf = 'numbers') =>
  `IN (SELECT value FROM json_each(${parameter} /* ${of} */))`;

/** SQL: a list, bound as one JSON array, as a table with the column `value`. */
export const jsonListAs = (alias: string, of: ListOf) => `json_each(? /* ${of} */) ${alias}`;

/** SQL: the values of all rows as one JSON array. */
export const toJsonList = (column: string) => `json_group_array(${column})`;

/**
 * SQL: a table with the index that must be used. Without statistics SQLite's planner prefers the primary key in some
 * queries that need only a small part of a large table.
 */
export const withIndex = (table: string, index: string) => `${table} INDEXED BY ${index}`;

/** SQL: an inner join that reads the left table first, where the planner might choose the larger one. */
export const JOIN_IN_ORDER = 'CROSS JOIN';

/** SQL: the lesser of two values that are not null. */
export const lesser = (a: string, b: string) => `min(${a}, ${b})`;

/** SQL: the greater of two values that are not null. */
export const greater = (a: string, b: string) => `max(${a}, ${b})`;

/** SQL: whether a text matches a pattern in which `*` stands for any characters; case matters. */
export const matchesPattern = (text: string, pattern = '?') => `glob(${pattern}, ${text})`;

/**
 * SQL: until the transaction ends, no event is appended by another daemon, so that the newest event stays the newest.
 * SQLite has a single writer.
 */
export const HOLD_APPENDS = 'SELECT 1 AS held /* appends */';

/** During a removal, the table with the `seq`s of the events that are removed. */
export const REMOVED_EVENTS = 'temp.removed_events';

/** SQL: the version of the record in an event; on SQLite it is parsed from the body. @param events alias of the table */
export const versionOf = (events: string) => `version_of(${events}.body)`;
