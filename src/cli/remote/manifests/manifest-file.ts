import { text as readAll } from 'node:stream/consumers';
import type { ManifestApply, ManifestChange } from '../../../contract/manifest';
import type { CommandFailed } from '../../command-failed';
import { readText } from '../files';
import { invalidFile, Places } from './places';
import { hasVariable, Variables } from './variables';

const MAX_BYTES = 256 * 1024;
const MAX_ALIASES = 100;
const NAMES = ['version', 'name', 'targets', 'alerts'];

export interface ManifestFlags {
  file: string;
  envFile?: string;
  allowLiteralSecrets?: true;
}

/** `switchboard.yaml`, with the values of its variables. */
export interface ManifestFile {
  name: string;
  /** As they are in the file: the hub checks them. */
  entries: Pick<ManifestApply, 'targets' | 'alerts'>;
  /** The names of its variables. */
  variables: string[];
  /** Without the fields that a variable is part of. */
  concealed: (change: ManifestChange) => ManifestChange;
  /** @param errors with paths in `entries` */
  failure: (errors: readonly { path: string; message: string }[], remedy?: string) => CommandFailed;
}

type Fields = Record<string, unknown>;

/** @throws CommandFailed if it cannot be used */
export async function readManifest({
  file,
  envFile,
  allowLiteralSecrets,
}: ManifestFlags): Promise<ManifestFile> {
  const text = file === '-' ? await readAll(process.stdin) : readText(file);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw invalidFile(`${file} is larger than ${MAX_BYTES / 1024} KiB.`);
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const places = new Places(file, lines);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) throw invalidFile(`${places.at(error.pos[0])}: ${error.message}.`);
  const failure = (...faults: [errors: readonly { path: string; message: string }[], remedy?: string]) =>
    places.failure(document, ...faults);

  const written = withValues(
    toObject(file, () => document.toJS({ maxAliasCount: MAX_ALIASES })),
    (one) => one,
  );
  const literal = allowLiteralSecrets ? [] : literalSecrets(written);
  if (literal.length > 0) {
    const message = 'a secret must not be written into the file';
    throw failure(
      literal.map((path) => ({ path, message })),
      'Write ${NAME} in its place, or use --allow-literal-secrets.',
    );
  }
  const variables = new Variables(envFile);
  const whole = withValues(written, (one) => variables.replacedIn(one));
  variables.assertComplete(file);
  const unknown = Object.keys(whole).find((name) => !NAMES.includes(name));
  if (unknown !== undefined)
    throw failure([{ path: '', message: `Unknown: "${unknown}". Accepted names: ${NAMES.join(', ')}` }]);
  const { version, name = 'default', ...entries } = whole;
  if (version !== 1) throw failure([{ path: 'version', message: 'must be 1' }]);
  const hidden = concealedFields(written, whole);
  return {
    name: String(name),
    entries,
    variables: [...variables.used],
    concealed: (change) => ({
      ...change,
      fields: change.fields.map((field) =>
        hidden.has(`${change.name}\0${field.path}`)
          ? { ...field, before: null, after: null, secret: true }
          : field,
      ),
    }),
    failure,
  };
}

function toObject(file: string, parse: () => unknown): Fields {
  let value: unknown;
  try {
    value = parse();
  } catch (error) {
    throw invalidFile(`${file}: ${(error as Error).message}.`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalidFile(`${file} is not a manifest: it must begin with "version: 1".`);
}

/** The same with other texts. A number that JavaScript would round becomes its digits, which the hub compares too. */
export function withValues<Value>(value: Value, replace: (text: string) => string): Value {
  const replaced = (one: unknown): unknown => {
    if (typeof one === 'string') return replace(one);
    if (typeof one === 'bigint') return Number.isSafeInteger(Number(one)) ? Number(one) : String(one);
    if (Array.isArray(one)) return one.map(replaced);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [name, replaced(item)]));
  };
  return replaced(value) as Value;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** The entries, each with its path. */
const entriesOf = (whole: Fields): [path: string, entry: Fields][] =>
  ['targets', 'alerts'].flatMap((list) =>
    Object.entries(fieldsOf(whole[list])).map(([i, entry]): [string, Fields] => [
      `${list}.${i}`,
      fieldsOf(entry),
    ]),
  );

const isLiteral = (value: unknown) => typeof value === 'string' && !hasVariable(value);

/** The paths of secrets that are not given by variables. */
function literalSecrets(whole: Fields): string[] {
  return entriesOf(whole).flatMap(([path, { secret, tls, url, headers }]) => [
    ...(isLiteral(secret) ? [`${path}.secret`] : []),
    ...(isLiteral(fieldsOf(tls)['key']) ? [`${path}.tls.key`] : []),
    ...(isLiteral(url) && /^\w+:\/\/[^/?#]*@|[?&]routing_key=/.test(String(url)) ? [`${path}.url`] : []),
    ...Object.entries(fieldsOf(headers))
      .filter(([, header]) => fieldsOf(header)['secret'] === true && isLiteral(fieldsOf(header)['value']))
      .map(([i]) => `${path}.headers.${i}.value`),
  ]);
}

const isConcealed = ([, value]: [string, unknown]) => hasVariable(JSON.stringify(value) ?? '');

/** Which fields of which targets a variable is part of, as the hub names them. */
function concealedFields(written: Fields, whole: Fields): Set<string> {
  const entries = new Map(entriesOf(whole));
  return new Set(
    entriesOf(written).flatMap(([path, entry]) => {
      const present = entries.get(path)!;
      const nested = (field: string, nameOf = (key: string) => key) =>
        Object.entries(fieldsOf(entry[field]))
          .filter(isConcealed)
          .map(([key]) => `${field}.${nameOf(key)}`);
      const fields = [
        ...Object.entries(entry)
          .filter(isConcealed)
          .map(([field]) => field),
        ...nested('policy'),
        ...nested('tls'),
        ...nested('headers', (i) => String(fieldsOf(fieldsOf(present['headers'])[i])['name']).toLowerCase()),
      ];
      return fields.map((field) => `${String(present['name'])}\0${field}`);
    }),
  );
}
