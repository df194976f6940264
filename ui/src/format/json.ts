/** Indented JSON with short arrays of scalars on one line. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /\[\n([^[\]{}]{0,200})\n *\]/g,
    (_, items: string) => `[${items.trim().replace(/\n */g, ' ')}]`,
  );
