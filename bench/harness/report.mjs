// The result of a benchmark: a table for people, and JSON for programs.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { median, spread } from './figures.mjs';

/**
 * Prints a table; `npm run bench` also collects it as JSON.
 * @param settings what was measured and how, as values by name
 * @param rows { name, unit, values, digits }: one value per round
 * @param threads CPU per unit by thread: per round microseconds by name; undefined: not measured
 * @param notes what a reader must know to judge the figures
 * @param data further results
 */
export function report({ settings, rows, threads, notes = [], data }) {
  const name = basename(process.argv[1], '.mjs');
  const figures = rows.map(({ values, ...row }) => ({
    ...row,
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    values,
  }));
  const byThread = threads && summarizeThreads(threads);
  const width = Math.max(...rows.map((row) => row.name.length));
  const list = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
  console.log(`${list.join(', ')}; median (minimum–maximum)`);
  for (const { name: what, unit, values, digits } of rows)
    console.log(`  ${what.padEnd(width)}  ${spread(values, digits)} ${unit}`);
  if (byThread) {
    const parts = Object.entries(byThread).map(
      ([thread, { median: time }]) => `${thread} ${time.toFixed(1)}`,
    );
    console.log(`  µs CPU by thread: ${parts.join(', ')}`);
  }
  for (const note of notes) console.log(`  ${note}`);
  if (process.env.BENCH_RESULT)
    writeFileSync(
      process.env.BENCH_RESULT,
      JSON.stringify({ name, settings, figures, threads: byThread, notes, data }),
    );
}

/** The most expensive thread first. */
function summarizeThreads(rounds) {
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round)))].filter(
    (name) => name !== 'total',
  );
  const summaries = names.map((name) => {
    const values = rounds.map((round) => round[name] ?? 0);
    return [name, { median: median(values), min: Math.min(...values), max: Math.max(...values) }];
  });
  return Object.fromEntries(summaries.sort(([, a], [, b]) => b.median - a.median));
}
