// Medians with their spread.
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function spread(values, digits = 0) {
  const show = (value) =>
    value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}
