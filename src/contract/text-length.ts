/** The check that a text has at most `longest` characters, counted as in JSON Schema: one outside the BMP is one. */
export const atMost = (longest: number) =>
  [
    (text: string) => text.length <= longest || Array.from(text).length <= longest,
    `Too big: expected string to have <=${longest} characters`,
  ] as const;
