const INDENT = '  ';

/**
 * Sets JSON text in lines. Only the white space changes: parsed and written anew, an integer with many digits would come
 * out rounded.
 */
export function layOutJson(text: string): string {
  let out = '';
  let depth = 0;
  const line = () => `\n${INDENT.repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const empty = /[[{]\s*$/.test(out) && (token === ']' || token === '}');
    if (token === '{' || token === '[') {
      out += token;
      depth += 1;
      out += line();
    } else if (token === '}' || token === ']') {
      depth -= 1;
      out = empty ? out.trimEnd() + token : out + line() + token;
    } else if (token === ',') out += token + line();
    else out += token === ':' ? ': ' : token;
  }
  return out;
}
