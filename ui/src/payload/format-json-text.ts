const INDENT = '  ';
/** Further in, lines begin at the same place: thousands of levels would make more white space than text. */
const DEEPEST_INDENT = 40;

/**
 * Sets JSON text in lines. Only the white space changes: parsed and written anew, an integer with many digits would come
 * out rounded.
 */
export function formatJsonText(text: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = () => `\n${INDENT.repeat(Math.min(depth, DEEPEST_INDENT))}`;
  let before = '';
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = before === '{' || before === '[';
    // What is empty stays on one line.
    if (opened !== closes || before === ',') out.push(line());
    if (token === '{' || token === '[') depth += 1;
    out.push(token === ':' ? ': ' : token);
    before = token;
  }
  return out.join('');
}
