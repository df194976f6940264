export interface Scrape {
  /** The type of each metric, by the name in its `# TYPE` line. */
  types: Map<string, string>;
  /** The value of each series, by its name and labels as they were sent. */
  series: Map<string, number>;
}

/** Reads the text of a scrape, in either format. @throws Error at a line that is neither a comment nor a series */
export function readScrape(text: string): Scrape {
  const types = new Map<string, string>();
  const series = new Map<string, number>();
  for (const line of text.split('\n').filter(Boolean)) {
    const type = /^# TYPE (\w+) (\w+)$/.exec(line);
    if (type !== null) types.set(type[1]!, type[2]!);
    if (line.startsWith('#')) continue;
    const one = /^([a-z_]+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})?) (-?[\d.]+(?:e[+-]\d+)?)$/.exec(line);
    if (one === null || series.has(one[1]!)) throw new Error(`Not a series, or a second time: ${line}`);
    series.set(one[1]!, Number(one[2]));
  }
  return { types, series };
}
