import type { ValueChange } from '../../../contract/entity';
import { isJsonObject, writeJson } from '../../ground/parse-body';
import { MAX_PATH_STEPS } from '../../../contract/path-limits';
import { joinPath } from '../../filters/filter-paths';

interface Compared {
  path: string;
  before: unknown;
  after: unknown;
  steps: number;
}

/**
 * The paths at which two records differ, sorted. Objects are compared member by member, as deep as a path of a filter
 * reaches; lists as a whole.
 * @param before parsed JSON with exact numbers; undefined if there was no record
 */
export function recordChanges(before: unknown, after: unknown): ValueChange[] {
  const changes: ValueChange[] = [];
  const open: Compared[] = [{ path: 'data', before, after, steps: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, steps } = next;
    const [one, other] = [membersOf(next.before, steps), membersOf(next.after, steps)];
    if (one !== null && other !== null) {
      for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
        open.push({
          path: joinPath(path, name),
          before: Object.hasOwn(one, name) ? one[name] : undefined,
          after: Object.hasOwn(other, name) ? other[name] : undefined,
          steps: steps + 1,
        });
    } else if (textOf(next.before) !== textOf(next.after)) changes.push(changeOf(next));
  }
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** What is compared member by member: a missing record has none, a missing value is no object. */
function membersOf(value: unknown, steps: number): Record<string, unknown> | null {
  if (value === undefined && steps === 1) return {};
  return isJsonObject(value) && steps < MAX_PATH_STEPS ? value : null;
}

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : writeJson(value));

const changeOf = ({ path, before, after }: Compared): ValueChange => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
});
