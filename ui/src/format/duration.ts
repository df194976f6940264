const UNITS = [
  { name: 'd', size: 86_400, pattern: /^d(ays?)?$/ },
  { name: 'h', size: 3_600, pattern: /^h(ours?)?$/ },
  { name: 'min', size: 60, pattern: /^m(in(utes?)?)?$/ },
  { name: 's', size: 1, pattern: /^s(ec(onds?)?)?$/ },
] as const;
const SECOND = UNITS[3];

/** Parses a duration such as `45 min`, `2.5 h` or `90` into seconds; null if it is not valid. */
export function parseDuration(text: string): number | null {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?) *([a-z]+)?$/.exec(text.trim().toLowerCase()) ?? [];
  const size = UNITS.find(({ pattern }) => pattern.test(unit))?.size;
  if (amount === undefined || size === undefined) return null;
  // Rounded to milliseconds, since tenths of a second have no exact binary representation.
  return Math.round(Number(amount) * size * 1_000) / 1_000;
}

/** A duration in the largest unit that is exact to one decimal: `45 min`, `2.5 h`, `100 s`. */
export function formatDuration(seconds: number): string {
  const exact = (size: number) => Math.abs(Math.round((seconds / size) * 10) - (seconds / size) * 10) < 1e-9;
  const { name, size } = UNITS.find((unit) => seconds >= unit.size && exact(unit.size)) ?? SECOND;
  return `${Number((seconds / size).toFixed(3))} ${name}`;
}

/** A rounded duration: `12 h`, `3.5 d`. Below two days it is in hours. */
export function formatApproximate(seconds: number): string {
  const unit = UNITS.find(({ size }) => seconds >= (size === 86_400 ? 2 * size : size)) ?? SECOND;
  const amount = seconds / unit.size;
  return `${amount < 10 ? Number(amount.toFixed(1)) : Math.round(amount)} ${unit.name}`;
}

/** A duration in its two largest units, rounded up: `8 s`, `3 min 20 s`, `1 h 5 min`. */
export function formatTwoUnits(seconds: number): string {
  const whole = Math.ceil(seconds);
  const first = UNITS.findIndex(({ size }) => whole >= size);
  if (first === -1) return '0 s';
  let rest = whole;
  const parts = UNITS.slice(first, first + 2).map(({ size, name }) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? '' : `${count} ${name}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
