import { STATE_NAMES, type ShownState } from '../labels/target-labels';
import { toStrings } from './live-search';

/** The columns of the list of targets that it can be sorted by. */
const TARGET_COLUMNS = ['name', 'state', 'success', 'p95', 'backlog', 'delivered'] as const;
export type TargetColumn = (typeof TARGET_COLUMNS)[number];

/** A column, after `-` for descending order. */
export type TargetSort = TargetColumn | `-${TargetColumn}`;

/** What the list of targets shows, and in which order; without one, the worst state comes first. */
export interface TargetsSearch {
  q?: string;
  state?: ShownState;
  sort?: TargetSort;
}

const isState = (text = ''): text is ShownState => text in STATE_NAMES;

export function targetsSearch(search: Record<string, unknown>): TargetsSearch {
  const [text, sort, state] = [search['q'], search['sort'], search['state']].map((one) => toStrings(one)[0]);
  const column = TARGET_COLUMNS.find((one) => one === sort?.replace(/^-/, ''));
  return {
    ...(text !== undefined && text.trim() !== '' && { q: text }),
    ...(isState(state) && { state }),
    ...(column !== undefined && { sort: sort as TargetSort }),
  };
}
