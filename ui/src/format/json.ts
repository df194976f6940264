/** JSON to be read: short lists of plain values stay on one line. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    /\[\n([^[\]{}]{0,200})\n *\]/g,
    (_, items: string) => `[${items.trim().replace(/\n */g, ' ')}]`,
  );
