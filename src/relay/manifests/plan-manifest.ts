import { isDeepStrictEqual } from 'node:util';
import type { ManifestApply, ManifestChange, ManifestEntry } from '../../contract/manifest';
import { RelayError, type FieldError } from '../ground/relay-error';
import { isOtherOrigin, REENTER_SECRETS } from '../targets/drop-secrets';
import { newSettings, resolveSettings } from '../targets/resolve-settings';
import { assertBelowLimit } from '../targets/target-constraints';
import type { TargetDraft, TargetDrafts } from '../targets/target-drafts';
import { secretKey, type NewTarget, type TargetRecord, type TargetSettings } from '../targets/target-record';
import { changedFields, changedSecret } from './changed-fields';
import { patchOf } from './manifest-entry';

/** For how long the secret before one that a manifest replaces signs as well. */
const OVERLAP_MS = 86_400_000;

/** What becomes of one target. */
export interface PlannedChange {
  action: ManifestChange['action'];
  name: string;
  before: TargetRecord | null;
  fields: ManifestChange['fields'];
  /** Null if nothing changes. */
  draft: TargetDraft | null;
}

/** What a plan is made of. `now` is the wall clock. */
interface Given {
  manifest: string;
  targets: readonly TargetRecord[];
  drafts: TargetDrafts;
  now: number;
  /** The URLs that may not be used, and why. */
  denials: ReadonlyMap<string, string>;
  /** The expressions that cannot be compiled, and why. */
  faults: ReadonlyMap<string, string>;
}

/** The entries of a manifest with their paths. */
export const entriesOf = ({
  targets = [],
  alerts = [],
}: ManifestApply): [path: string, entry: ManifestEntry][] => [
  ...targets.map((entry, i): [string, ManifestEntry] => [`targets.${i}`, entry]),
  ...alerts.map((entry, i): [string, ManifestEntry] => [`alerts.${i}`, entry]),
];

/** The target that an entry is about; null if it is to be created. */
export const targetOf = (entry: ManifestEntry, targets: readonly TargetRecord[]): TargetRecord | null =>
  targets.find(({ name }) => name === entry.name) ??
  targets.find(({ name }) => name === entry.renamed_from) ??
  null;

/**
 * The changes by which the targets become those of a manifest.
 * @throws RelayError `target_invalid`, 422, with every fault and its path; `target_not_managed`, `too_many_targets`, 409
 */
export function planManifest(wanted: ManifestApply, given: Given): PlannedChange[] {
  const { manifest, targets, drafts } = given;
  const errors: FieldError[] = [];
  const foreign: FieldError[] = [];
  let remedy = 'Correct the entries.';
  const seen = new Set<string>();
  const planned = entriesOf(wanted).flatMap(([path, entry]): PlannedChange[] => {
    const { name } = entry;
    const before = targetOf(entry, targets);
    const fail = (field: string, message: string, into = errors) =>
      into.push({ path: `${path}.${field}`, message });
    for (const one of new Set([name, before?.name ?? name]))
      if (seen.has(one)) fail(one === name ? 'name' : 'renamed_from', `"${one}" is in another entry`);
      else seen.add(one);
    if (before !== null && before.listener !== null) fail('name', `"${before.name}" is a listener`);
    if (before !== null && before.managedBy !== manifest && wanted.adopt !== true)
      fail(
        'name',
        `"${before.name}" ${before.managedBy === null ? 'exists' : `is managed by ${before.managedBy}`}`,
        foreign,
      );
    const denial = before?.url === entry.url ? undefined : given.denials.get(entry.url);
    if (denial !== undefined) fail('url', denial);
    const syntaxError = given.faults.get(entry.transform?.expression ?? '');
    if (syntaxError !== undefined) fail('transform.expression', syntaxError);
    try {
      return [before === null ? planCreation(entry, given) : planChange(entry, before, given)];
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      if (error.remedy === REENTER_SECRETS) remedy = REENTER_SECRETS;
      for (const fault of error.errors ?? [])
        if (fault.path === 'new_secret') fail('secret', 'must be given, because the origin changes');
        else fail(fault.path, fault.message);
      return [];
    }
  });
  if (errors.length > 0)
    throw new RelayError('target_invalid', 422, 'The manifest is invalid.', { remedy, errors });
  if (foreign.length > 0)
    throw new RelayError(
      'target_not_managed',
      409,
      'Targets of these names are not managed by this manifest.',
      {
        remedy: 'Choose other names, or let the manifest adopt these targets.',
        errors: foreign,
      },
    );
  const kept = new Set(planned.map(({ before }) => before));
  const surplus = targets.filter((target) => target.managedBy === manifest && !kept.has(target));
  const removed = wanted.prune === true ? surplus.map((target) => planRemoval(target, drafts)) : [];
  const created = planned.filter(({ action }) => action === 'create').length;
  if (created > 0) assertBelowLimit(targets.length - removed.length + created - 1);
  return [...removed, ...planned];
}

function planCreation(entry: ManifestEntry, { manifest, drafts }: Given): PlannedChange {
  const settings = newSettings({ enabled: true, ...patchOf(entry) } as NewTarget);
  const draft = drafts.creation(settings, entry.secret ?? drafts.newSecret(), manifest);
  const { name, url, format } = entry;
  const usual = patchOf({ name, url, ...(format !== undefined && { format }) }) as Partial<TargetSettings>;
  const fields = changedFields({ ...settings, ...usual, enabled: true, url: null }, settings);
  return { action: 'create', name, before: null, fields, draft };
}

function planChange(
  entry: ManifestEntry,
  before: TargetRecord,
  { manifest, drafts, now }: Given,
): PlannedChange {
  const resolved = resolveSettings(patchOf(entry), before);
  const settings = Object.fromEntries(
    Object.entries(resolved).filter(
      ([field, value]) => !isDeepStrictEqual(value, before[field as keyof TargetSettings]),
    ),
  ) as Partial<TargetSettings>;
  const fields = changedFields(before, { ...before, ...settings });
  const isNewSecret = entry.secret !== undefined && !secretKey(entry.secret).equals(before.signingKey);
  if (isNewSecret) fields.push(changedSecret('secret'));
  const overlapUntil = isOtherOrigin(before.url, entry.url) ? null : now + OVERLAP_MS;
  const action = actionOf(before, { name: entry.name, manifest, isChanged: fields.length > 0 });
  const draft = () =>
    drafts.change(before, settings, {
      managedBy: manifest,
      ...(isNewSecret && { secret: { text: entry.secret!, overlapUntil } }),
    });
  return { action, name: entry.name, before, fields, draft: action === 'none' ? null : draft() };
}

function actionOf(
  before: TargetRecord,
  { name, manifest, isChanged }: { name: string; manifest: string; isChanged: boolean },
): PlannedChange['action'] {
  if (before.name !== name) return 'rename';
  if (before.managedBy !== manifest) return 'adopt';
  return isChanged ? 'change' : 'none';
}

const planRemoval = (target: TargetRecord, drafts: TargetDrafts): PlannedChange => ({
  action: 'remove',
  name: target.name,
  before: target,
  fields: [],
  draft: drafts.removal(target.id),
});
