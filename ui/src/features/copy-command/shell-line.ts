/** What needs no quotes in a POSIX shell. */
const PLAIN = /^[\w./:@%+,-]+$/;

/** Quotes an argument for a POSIX shell. */
export const quote = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The values of flags: several repeat the flag, `true` is one without a value, undefined leaves it out. */
export type Flags = Readonly<Record<string, string | number | true | readonly string[] | undefined>>;

/** A line of the command `switchboard`. Values are joined with `=`, since one may begin with a hyphen. */
export function commandLine(verb: string, flags: Flags, args: readonly string[] = []): string {
  const parts = Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    const values = typeof value === 'object' ? value : [String(value)];
    return values.map((one) => quote(`--${name}=${one}`));
  });
  return ['switchboard', verb, ...parts, ...args.map(quote)].join(' ');
}

const AUTHORIZATION = '-H "authorization: Bearer $SWITCHBOARD_TOKEN"';

/** A `curl` line for a GET of the API. @param path below `/api/v1` */
export function curlGet(origin: string, path: string, query: Flags): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : (typeof value === 'object' ? value : [String(value)]).map((one) => `${name}=${one}`),
  );
  const data = parameters.map((one) => `--data-urlencode ${quote(one)}`);
  return [`curl -fsS -G ${quote(`${origin}/api/v1${path}`)}`, AUTHORIZATION, ...data].join(' \\\n  ');
}

/** A `curl` line for a POST with a JSON body. */
export const curlPost = (origin: string, path: string, body: object): string =>
  [
    `curl -fsS ${quote(`${origin}/api/v1${path}`)}`,
    AUTHORIZATION,
    "-H 'content-type: application/json'",
    `--data-raw ${quote(JSON.stringify(body))}`,
  ].join(' \\\n  ');
