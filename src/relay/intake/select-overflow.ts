import type { Rejection } from '../../contract/rejection';

/** What decides which quarantined notifications are dropped. */
export interface QuarantineEntry {
  /** ms since 1970 */
  receivedAt: number;
  reason: Rejection['reason'];
  bytes: number;
}

export interface QuarantineBounds {
  count: number;
  bytes: number;
}

const HOUR_MS = 3_600_000;

/**
 * Selects the entries (in order of arrival) to drop to stay within the bounds. The hour with most entries
 * of one reason loses its newest, or its largest if there are too many bytes: a flood of forgeries drops
 * itself and keeps earlier entries. One entry is always kept, however large.
 */
export function selectOverflow<One extends QuarantineEntry>(
  all: readonly One[],
  bounds: QuarantineBounds,
): Set<One> {
  const hours = groupByHour(all);
  const dropped = new Set<One>();
  let bytes = bytesOf(all);
  for (let count = all.length; count > 1; count -= 1) {
    if (count <= bounds.count && bytes <= bounds.bytes) break;
    const isTooMany = count > bounds.count;
    const fullest = hours.reduce((a, b) =>
      isTooMany ? (b.ones.length > a.ones.length ? b : a) : b.bytes > a.bytes ? b : a,
    );
    const at = isTooMany ? fullest.ones.length - 1 : newestOfLargest(fullest.ones);
    const [one] = fullest.ones.splice(at, 1);
    dropped.add(one!);
    fullest.bytes -= one!.bytes;
    bytes -= one!.bytes;
  }
  return dropped;
}

/** The oldest hour first, grouped by reason. */
function groupByHour<One extends QuarantineEntry>(all: readonly One[]): { ones: One[]; bytes: number }[] {
  const hours = new Map<string, One[]>();
  for (const one of all) {
    const name = `${Math.floor(one.receivedAt / HOUR_MS)} ${one.reason}`;
    const before = hours.get(name);
    if (before === undefined) hours.set(name, [one]);
    else before.push(one);
  }
  return [...hours.values()].map((ones) => ({ ones, bytes: bytesOf(ones) }));
}

const bytesOf = (some: readonly QuarantineEntry[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);

const newestOfLargest = (some: readonly QuarantineEntry[]) =>
  some.reduce((largest, { bytes }, i) => (bytes >= some[largest]!.bytes ? i : largest), 0);
