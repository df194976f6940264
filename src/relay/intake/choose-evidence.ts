import type { Rejection } from '../../contract/rejection';

/** What a choice between quarantined notifications is made by. */
export interface Evidence {
  /** ms since 1970 */
  receivedAt: number;
  reason: Rejection['reason'];
  bytes: number;
}

export interface EvidenceBounds {
  count: number;
  bytes: number;
}

const HOUR_MS = 3_600_000;

/**
 * Which of these, in the order in which they came, go beyond the bounds. The hour that has the most of one reason gives up
 * its newest, or the largest where it is too many bytes: a flood of forgeries drops itself, and leaves what came before it.
 * The last one stays, however large.
 */
export function beyondBounds<One extends Evidence>(all: readonly One[], most: EvidenceBounds): Set<One> {
  const hours = hoursOf(all);
  const dropped = new Set<One>();
  let bytes = bytesOf(all);
  for (let count = all.length; count > 1; count -= 1) {
    if (count <= most.count && bytes <= most.bytes) break;
    const isTooMany = count > most.count;
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

/** The oldest hour first, each reason apart. */
function hoursOf<One extends Evidence>(all: readonly One[]): { ones: One[]; bytes: number }[] {
  const hours = new Map<string, One[]>();
  for (const one of all) {
    const name = `${Math.floor(one.receivedAt / HOUR_MS)} ${one.reason}`;
    const before = hours.get(name);
    if (before === undefined) hours.set(name, [one]);
    else before.push(one);
  }
  return [...hours.values()].map((ones) => ({ ones, bytes: bytesOf(ones) }));
}

const bytesOf = (some: readonly Evidence[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);

const newestOfLargest = (some: readonly Evidence[]) =>
  some.reduce((largest, { bytes }, i) => (bytes >= some[largest]!.bytes ? i : largest), 0);
