/**
 * A cheap test of what most texts lack: a number of 16 digits, or with an exponent. Only such numbers can be rounded.
 */
const MAY_ROUND = /[:,[\s]-?\d(?:[\d.]{15}|[\d.]*[eE])/;

const NUMBER = /-?\d[\d.eE+-]*/y;
const MAX_PLAIN_LENGTH = 16;
const LEAST_PLAIN = 1e-300;

/** Whether a JSON text may hold numbers that JavaScript would round. */
export const mayRound = (text: string): boolean => MAY_ROUND.test(text);

/**
 * Parses JSON as `JSON.parse` does, except that a number which JavaScript would round becomes a string: its digits as
 * written. `JSON.parse` of Node 20 does not tell them.
 * @param mark begins each of these strings
 * @throws SyntaxError
 */
export function parseLongNumbers(text: string, mark = ''): unknown {
  const rounded: unknown = JSON.parse(text);
  return mayRound(text) ? JSON.parse(quoteLongNumbers(text, mark)) : rounded;
}

/** @param text valid JSON */
function quoteLongNumbers(text: string, mark: string): string {
  let out = '';
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') at = endOfString(text, at);
    else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const [literal] = NUMBER.exec(text)!;
      if (isRounded(literal)) {
        out += `${text.slice(copied, at)}"${mark}${literal}"`;
        copied = at + literal.length;
      }
      at += literal.length - 1;
    }
  }
  return out + text.slice(copied);
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
}

/**
 * Whether a JSON number is beyond 2^53 or has more digits than JavaScript keeps. Up to 15 digits are always kept, and
 * so are the digits that JavaScript writes itself.
 */
export function isRounded(literal: string): boolean {
  const value = Number(literal);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return true;
  if (String(value) === literal) return false;
  if (value === 0) return /^[-0.]*[1-9]/.test(literal);
  return literal.length > MAX_PLAIN_LENGTH || Math.abs(value) < LEAST_PLAIN;
}
