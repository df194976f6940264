import type { Rejection } from '../../contract/rejection';

/** The properties that decide which quarantined notifications are dropped. */
export interface QuarantineEntry {
  /** In ms since 1970. */
  receivedAt: number;
  reason: Rejection['reason'];
  bytes: number;
}

const HOUR_MS = 3_600_000;

/**
 * Selects the entries to drop so that the others stay within the bounds; `all` is in order of arrival. Entries are
 * grouped by hour and reason. With too many entries, the largest group loses its newest; with too many bytes, the group
 * with most bytes its largest. So a flood of forgeries displaces only itself. One entry always stays.
 */
export function selectOverflow<One extends QuarantineEntry>(
  all: readonly One[],
  bounds: { count: number; bytes: number },
): Set<One> {
  const groups = groupByHourAndReason(all);
  const dropped = new Set<One>();
  let bytes = bytesOf(all);
  for (let count = all.length; count > 1; count -= 1) {
    if (count <= bounds.count && bytes <= bounds.bytes) break;
    const tooManyEntries = count > bounds.count;
    const largestGroup = groups.reduce((a, b) =>
      tooManyEntries ? (b.entries.length > a.entries.length ? b : a) : b.bytes > a.bytes ? b : a,
    );
    const at = tooManyEntries ? largestGroup.entries.length - 1 : indexOfLargest(largestGroup.entries);
    const [entry] = largestGroup.entries.splice(at, 1);
    dropped.add(entry!);
    largestGroup.bytes -= entry!.bytes;
    bytes -= entry!.bytes;
  }
  return dropped;
}

/** The groups in order of their oldest entry. */
function groupByHourAndReason<One extends QuarantineEntry>(
  all: readonly One[],
): { entries: One[]; bytes: number }[] {
  const groups = new Map<string, One[]>();
  for (const one of all) {
    const name = `${Math.floor(one.receivedAt / HOUR_MS)} ${one.reason}`;
    const before = groups.get(name);
    if (before === undefined) groups.set(name, [one]);
    else before.push(one);
  }
  return [...groups.values()].map((entries) => ({ entries, bytes: bytesOf(entries) }));
}

const bytesOf = (some: readonly QuarantineEntry[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);

/** Of several equally large entries, the newest. */
const indexOfLargest = (some: readonly QuarantineEntry[]) =>
  some.reduce((largest, { bytes }, i) => (bytes >= some[largest]!.bytes ? i : largest), 0);
