// Statistics of measured values.
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The smallest value that is not exceeded by this part (0 to 1) of the values. */
export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

/** The median with minimum and maximum, as text. */
export function spread(values, digits = 0) {
  const show = (value) =>
    value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;
}

/**
 * Runs every side once per round, one after the other, so that changes of the machine's speed affect all of them.
 * @param sides functions by name. @returns per round the results by name
 */
export async function alternate(rounds, sides) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const result = {};
    for (const [name, measure] of Object.entries(sides)) result[name] = await measure(round);
    results.push(result);
  }
  return results;
}
