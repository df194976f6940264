import { bodyText } from './parse-body';

const ESCAPE = /\\(?:u([\da-f]{4})|(.))/gi;
const SPACE_ESCAPES = /[bfnrt]/;
const SPACES = /[\s\0]{2,}|[^\S ]|\0/g;
const SPACE_AT_TOKEN = / (?:(?=[{}[\],:])|(?<=[{}[\],:] ))/g;
const ASCII = /^[\0-\x7F]*$/;

/**
 * A text as the search compares it: texts become equal that differ only in case, in how a letter and its marks are
 * composed, or in white space (its amount, and any beside a bracket, colon or comma). Case is Unicode's full mapping to
 * lower and then upper case: ß is SS, final sigma is sigma, and i with and without a dot are one letter.
 */
export function foldText(text: string): string {
  const spaced = text.replace(SPACES, ' ').replace(SPACE_AT_TOKEN, '');
  if (ASCII.test(spaced)) return spaced.toUpperCase();
  return spaced.toLowerCase().toUpperCase().replaceAll('I\u0307', 'I').normalize('NFC');
}

/** The folded text of a body: as its strings read, not as they are escaped in JSON. */
export const foldBody = (body: Uint8Array): string => foldJson(bodyText(body));

/** What a body must contain to be found by a text that was typed: one of these, since it may be escaped as in JSON. */
export const foldQuery = (text: string): string[] => [...new Set([foldText(text), foldJson(text)])];

const foldJson = (json: string) => foldText(json.includes('\\') ? unescape(json) : json);

const unescape = (json: string) =>
  json.replace(ESCAPE, (_, code: string | undefined, character = '') => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return SPACE_ESCAPES.test(character as string) ? ' ' : (character as string);
  });
