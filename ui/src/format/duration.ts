const UNITS = [
  { name: 'd', size: 86_400, words: /^d(ays?)?$/ },
  { name: 'h', size: 3_600, words: /^h(ours?)?$/ },
  { name: 'min', size: 60, words: /^m(in(utes?)?)?$/ },
  { name: 's', size: 1, words: /^s(ec(onds?)?)?$/ },
] as const;
const SECOND = UNITS[3];

/** A length of time as a person writes it (`45 min`, `2.5 h`, `90`), in seconds; null where it is none. */
export function parseDuration(text: string): number | null {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?) *([a-z]+)?$/.exec(text.trim().toLowerCase()) ?? [];
  const size = UNITS.find(({ words }) => words.test(unit))?.size;
  if (amount === undefined || size === undefined) return null;
  // Thousandths: a tenth of a second is no whole number of seconds in binary.
  return Math.round(Number(amount) * size * 1_000) / 1_000;
}

/** A length of time in the largest unit that tells it exactly with one decimal: `45 min`, `2.5 h`, `100 s`. */
export function formatDuration(seconds: number): string {
  const exact = (size: number) => Math.abs(Math.round((seconds / size) * 10) - (seconds / size) * 10) < 1e-9;
  const { name, size } = UNITS.find((unit) => seconds >= unit.size && exact(unit.size)) ?? SECOND;
  return `${Number((seconds / size).toFixed(3))} ${name}`;
}

/** About how long: `12 h`, `3.5 d`. Two days are still told in hours. */
export function formatApproximate(seconds: number): string {
  const unit = UNITS.find(({ size }) => seconds >= (size === 86_400 ? 2 * size : size)) ?? SECOND;
  const amount = seconds / unit.size;
  return `${amount < 10 ? Number(amount.toFixed(1)) : Math.round(amount)} ${unit.name}`;
}
