import { MAX_PATH_STEPS } from '../../../contract/path-limits';
import { joinPath, valuesAt } from '../../filters/filter-paths';
import type { InstanceId } from '../../ground/ids';
import { ExactNumber } from '../../ground/exact-number';
import { isJsonObject, parseBody } from '../../ground/parse-body';
import { BYTE_ORDER_MARK, CSV_BREAK, toCell } from '../export-formats';
import type { EntityState } from './entity-states.query';
import { presentHead, type WrittenState } from './present-state';

const MAX_COLUMNS = 50;

/** The columns of every CSV; those of the records follow. */
const OF_STATES = [
  'entity',
  'name',
  'state',
  'updated_at',
  'received_at',
  'event_id',
  'event_type',
  'source',
] as const satisfies (keyof WrittenState)[];

/** A value as `valuesAt` returns it. */
type Scalar = string | number | boolean | null | undefined;

/** States as rows of a CSV (RFC 4180). */
export class EntityColumns {
  /** @param paths of the values of the record */
  constructor(
    private readonly paths: readonly string[],
    private readonly instanceId: InstanceId,
  ) {}

  /** A column for each value in these records that is neither an object nor a list, as many as there may be. */
  static of(states: readonly EntityState[], instanceId: InstanceId): EntityColumns {
    const paths = new Set<string>();
    for (const { body } of states) for (const path of scalarPaths(parseBody(body))) paths.add(path);
    return new EntityColumns([...paths].slice(0, MAX_COLUMNS), instanceId);
  }

  head(): Buffer {
    return Buffer.from(
      `${BYTE_ORDER_MARK}${[...OF_STATES, ...this.paths].map((name) => toCell(name, '')).join(',')}${CSV_BREAK}`,
    );
  }

  rows(states: readonly EntityState[]): Buffer {
    return Buffer.from(states.map((state) => this.row(state)).join(''));
  }

  private row(state: EntityState): string {
    const shown = presentHead(state, this.instanceId);
    const values = valuesAt(this.paths, parseBody(state.body), Infinity) as Record<string, Scalar>;
    const whole = `/entities/${encodeURIComponent(state.entity)}`;
    const own = OF_STATES.map((column) => shown[column] ?? '');
    const texts = [...own, ...this.paths.map((path) => String(values[path] ?? ''))];
    return texts.map((text) => toCell(text, whole)).join(',') + CSV_BREAK;
  }
}

/** The paths in the record of a payload whose values are neither objects nor lists. */
function scalarPaths(payload: unknown): string[] {
  const paths: string[] = [];
  const open: [path: string, value: unknown, steps: number][] = [
    ['data', (payload as { data: unknown }).data, 1],
  ];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [path, value, steps] = next;
    if (isJsonObject(value) && steps < MAX_PATH_STEPS)
      open.push(
        ...Object.entries(value).map(([name, member]): [string, unknown, number] => [
          joinPath(path, name),
          member,
          steps + 1,
        ]),
      );
    else if (value instanceof ExactNumber || typeof value !== 'object' || value === null) paths.push(path);
  }
  return paths;
}
