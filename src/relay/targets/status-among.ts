import type { StatusRange } from '../../contract/target-policy';

/** Whether a status is one of those listed, or within a hundred that is (`"5xx"`). */
export function statusAmong(ranges: readonly StatusRange[]): (status: number) => boolean {
  const codes = new Set(ranges.filter((range) => typeof range === 'number'));
  const hundreds = new Set(
    ranges.filter((range) => typeof range === 'string').map((range) => Number(range[0])),
  );
  return (status) => codes.has(status) || hundreds.has(Math.floor(status / 100));
}
