const INDENT = '  ';
/** Deeper lines are not indented further: thousands of levels would be mostly white space. */
const MAX_INDENT_LEVELS = 40;

/**
 * Indents JSON text. Only white space changes: parsing and serializing it would round long integers.
 */
export function formatJsonText(text: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = () => `\n${INDENT.repeat(Math.min(depth, MAX_INDENT_LEVELS))}`;
  let before = '';
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = before === '{' || before === '[';
    // Empty containers stay on one line.
    if (opened !== closes || before === ',') out.push(line());
    if (token === '{' || token === '[') depth += 1;
    out.push(token === ':' ? ': ' : token);
    before = token;
  }
  return out.join('');
}
