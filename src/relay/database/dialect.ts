/**
 * The SQL of queries outside this folder that differs between database engines. Everything else there is
 * standard SQL, or common to SQLite and PostgreSQL; `test/unit/project/portable-sql.test.ts` checks that.
 */

/** SQL: whether the value to the left is in a list, which is bound as one JSON array. */
export const inJsonList = (parameter = '?') => `IN (SELECT value FROM json_each(${parameter}))`;

/** SQL: a list, bound as one JSON array, as a table with the column `value`. */
export const jsonListAs = (alias: string) => `json_each(?) ${alias}`;

/** SQL: the values of all rows as one JSON array. */
export const toJsonList = (column: string) => `json_group_array(${column})`;

/**
 * SQL: a table with the index that must be used. Without statistics SQLite's planner prefers the primary key
 * in some queries that need only a small part of a large table.
 */
export const withIndex = (table: string, index: string) => `${table} INDEXED BY ${index}`;

/** SQL: an inner join that reads the left table first, where the planner might choose the larger one. */
export const JOIN_IN_ORDER = 'CROSS JOIN';

/** SQL: the lesser of two values that are not null. */
export const lesser = (a: string, b: string) => `min(${a}, ${b})`;

/** SQL: the greater of two values that are not null. */
export const greater = (a: string, b: string) => `max(${a}, ${b})`;

/** SQL: whether a text matches a pattern in which `*` stands for any characters; case matters. */
export const matchesPattern = (text: string, pattern = '?') => `${text} GLOB ${pattern}`;

/** SQL: whether a payload filter, bound as JSON, accepts a JSON body. Only the reader thread runs it. */
export const matchesFilter = (body: string) => `matches_filter(?, ${body})`;

/** SQL: the values at the paths, bound as one JSON array, in a JSON body. Only the reader thread runs it. */
export const readFields = (body: string) => `read_fields(?, ${body})`;

/**
 * SQL: of each group of rows, the row with the least or the greatest value in a column. SQLite takes the
 * other columns from that row.
 */
export const firstOrLastOfGroups = (
  end: 'first' | 'last',
  { column, others, rows, group }: { column: string; others: string; rows: string; group: string },
) =>
  `SELECT ${others}, ${end === 'first' ? 'min' : 'max'}(${column}) AS ${column} FROM ${rows} GROUP BY ${group}`;

/** During a removal, the table with the `seq`s of the events that are removed. */
export const REMOVED_EVENTS = 'temp.removed_events';
