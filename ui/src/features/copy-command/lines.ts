import { quote, quoteIfNeeded } from '../../format/quote';

/** Several values repeat the name, `true` is a flag without a value, undefined leaves it out. */
export type Values = Readonly<Record<string, string | number | true | readonly string[] | undefined>>;

const pairsOf = (values: Values): [name: string, value: string | true][] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : (typeof value === 'object' ? value : [value === true ? value : String(value)]).map(
          (one): [string, string | true] => [name, one],
        ),
  );

/**
 * A line of the command `switchboard` for the hub of this page.
 * @param flags their values are joined with `=`, since one may begin with a hyphen
 */
export function commandLine(verb: string, flags: Values, args: readonly string[] = []): string {
  const pairs = pairsOf({ hub: window.location.origin, ...flags });
  const parts = pairs.map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  return ['switchboard', verb, ...[...parts, ...args].map(quoteIfNeeded)].join(' ');
}

const urlOf = (path: string) => quoteIfNeeded(`${window.location.origin}/api/v1${path}`);
const AUTHORIZATION = '-H "authorization: Bearer $SWITCHBOARD_TOKEN"';

/** A `curl` line for a GET of the API. @param path below `/api/v1` */
export const curlGet = (path: string, query: Values): string =>
  [
    `curl -fsS -G ${urlOf(path)}`,
    AUTHORIZATION,
    ...pairsOf(query).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  ].join(' \\\n  ');

/** A `curl` line for a POST with a JSON body. */
export const curlPost = (path: string, body: object): string =>
  [
    `curl -fsS ${urlOf(path)}`,
    AUTHORIZATION,
    `-H 'content-type: application/json'`,
    `--data-raw ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ');
