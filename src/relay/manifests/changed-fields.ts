import { isDeepStrictEqual } from 'node:util';
import type { ManifestChange } from '../../contract/manifest';
import { maskAddress } from '../targets/address-credentials';
import type { TargetSettings } from '../targets/target-record';

type ChangedField = ManifestChange['fields'][number];

interface Field {
  value: unknown;
  /** What may be shown of it. */
  shown: unknown;
  isSecret: boolean;
}

/** A secret of which only the change is shown. */
export const changedSecret = (path: string): ChangedField => ({
  path,
  before: null,
  after: null,
  secret: true,
});

/** What differs between the settings of a target, by path. */
export function changedFields(before: TargetSettings, after: TargetSettings): ChangedField[] {
  const [old, present] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((path) => {
    const [one = NONE, other = NONE] = [old.get(path), present.get(path)];
    if (isDeepStrictEqual(one, other)) return [];
    if (one.isSecret || other.isSecret) return [changedSecret(path)];
    return [{ path, before: one.shown, after: other.shown, secret: false }];
  });
}

const NONE: Field = { value: null, shown: null, isSecret: false };

function fieldsOf(settings: TargetSettings) {
  const { url, format, policy, headers, tls, listener: _, transform, ...plain } = settings;
  const { tests = [], ...untested } = transform ?? {};
  const { key, ...certificates } = tls ?? { key: null };
  return new Map<string, Field>([
    ['url', { value: url, shown: maskAddress(url, format), isSecret: false }],
    ...[
      ...Object.entries({ format, ...plain, transform: transform && untested }),
      ...prefixed('policy', policy),
      ...prefixed('tls', certificates),
    ].map(([path, value]) => [path, { value, shown: value, isSecret: false }] as const),
    // Tests have payloads, and only those who may see them see more.
    ['transform.tests', { value: tests, shown: tests.map(({ name }) => name), isSecret: false }],
    ...headers.map(
      (header) =>
        [
          `headers.${header.name}`,
          { value: header.value, shown: header.value, isSecret: header.secret },
        ] as const,
    ),
    ...(key === null ? [] : [['tls.key', { value: key, shown: null, isSecret: true }] as const]),
  ]);
}

const prefixed = (prefix: string, fields: object): [path: string, value: unknown][] =>
  Object.entries(fields).map(([name, value]) => [`${prefix}.${name}`, value]);
