import { isRounded } from '../../contract/parse-long-numbers';

const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A number of a JSON text that JavaScript would round. It keeps the digits that were written. */
export class ExactNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toString(): string {
    return this.#digits;
  }

  /** `JSON.stringify` cannot write more digits than JavaScript keeps; see `writeJson`. */
  toJSON(): string {
    return this.#digits;
  }

  /** All digits of an integer; null for a fraction, or for more than `maxLength` characters. */
  toInteger(maxLength: number): string | null {
    const { sign, digits, point } = decimalOf(this.#digits);
    if (digits.length > point || point > maxLength) return null;
    return `${sign < 0 ? '-' : ''}${digits.padEnd(point, '0')}`;
  }
}

/** The number whose digits a text holds; null if it holds anything else, or a number that JavaScript keeps. */
export const exactNumberIn = (text: string): ExactNumber | null =>
  JSON_NUMBER.test(text) && isRounded(text) ? new ExactNumber(text) : null;

/** Compares by value: negative if `a` is smaller, 0 if they are equal. */
export function compareNumbers(a: number | ExactNumber, b: number | ExactNumber): number {
  const [one, other] = [decimalOf(String(a)), decimalOf(String(b))];
  if (one.sign !== other.sign) return one.sign - other.sign;
  if (one.point !== other.point) return (one.point - other.point) * one.sign;
  return one.digits === other.digits ? 0 : one.digits < other.digits ? -one.sign : one.sign;
}

/** `sign` × 0.`digits` × 10^`point`, with neither a leading nor a trailing zero; no digits for 0. */
interface Decimal {
  sign: -1 | 0 | 1;
  digits: string;
  point: number;
}

function decimalOf(text: string): Decimal {
  const [, minus, whole = '', fraction = '', exponent = '0'] = JSON_NUMBER.exec(text)!;
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first === -1) return { sign: 0, digits: '', point: 0 };
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  return {
    sign: minus === '' ? 1 : -1,
    digits: all.slice(first, end),
    point: whole.length - first + Number(exponent),
  };
}
