/** `1,234` */
export const count = (value: number): string => value.toLocaleString('en');

/** `1 event`, `1,234 events` */
export const counted = (value: number, what: string): string =>
  `${count(value)} ${value === 1 ? what : `${what.replace(/y$/, 'ie')}s`}`;

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `45 s`, `2 min`, `3 h`, `12 d` */
export function duration(seconds: number): string {
  // Rather 90 min than 1 h or 2 h.
  const [size, unit] = UNITS.find(([one]) => seconds >= 2 * one) ?? UNITS.at(-1)!;
  return `${count(Math.ceil(seconds / size))} ${unit}`;
}
