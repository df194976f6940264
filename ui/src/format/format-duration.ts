const UNITS = [
  { size: 86_400, unit: 'd' },
  { size: 3_600, unit: 'h' },
  { size: 60, unit: 'min' },
  { size: 1, unit: 's' },
] as const;

/** How long something takes, in its two largest units: `8 s`, `3 min 20 s`, `1 h 5 min`. */
export function formatTwoUnits(seconds: number): string {
  const whole = Math.ceil(seconds);
  const first = UNITS.findIndex(({ size }) => whole >= size);
  if (first === -1) return '0 s';
  let rest = whole;
  const parts = UNITS.slice(first, first + 2).map(({ size, unit }) => {
    const count = Math.floor(rest / size);
    rest %= size;
    return count === 0 ? '' : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}
