import { toStrings } from './live-search';

/** The columns of the list of targets that it can be sorted by. */
const TARGET_COLUMNS = ['name', 'state', 'success', 'p95', 'backlog', 'delivered'] as const;
export type TargetColumn = (typeof TARGET_COLUMNS)[number];

/** A column, after `-` for descending order. */
export type TargetSort = TargetColumn | `-${TargetColumn}`;

/** The order of the list of targets; without one, the worst state comes first. */
export function targetsSearch(search: Record<string, unknown>): { sort?: TargetSort } {
  const [text] = toStrings(search['sort']);
  const column = TARGET_COLUMNS.find((one) => one === text?.replace(/^-/, ''));
  return column === undefined ? {} : { sort: text as TargetSort };
}
