import { z } from 'zod';
import { TARGET_FORMATS } from './constants';
import { targetId } from './primitives';
import { commonFields, inputFields, signingSecret, targetName } from './target';

export const manifestName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'lowercase letters, digits, _ . and -');

/** What is left out has its default, except `enabled` and secrets, which stay as they are. */
const entryFields = {
  /** Identifies the target. */
  name: targetName,
  /** Its name until now: the target keeps its id and what is queued. */
  renamed_from: targetName.optional(),
  url: commonFields.url,
  filter: commonFields.filter.optional(),
  /** By default as it is; true for a new target. */
  enabled: commonFields.enabled.optional(),
  signature: commonFields.signature.optional(),
  ed25519: commonFields.ed25519.optional(),
  policy: inputFields.policy.optional(),
  /** A secret header without a value keeps it. */
  headers: inputFields.headers.optional(),
  tls: inputFields.tls.optional(),
  /** The signing secret. By default as it is; random for a new target. */
  secret: signingSecret.optional(),
};

const manifestTarget = z.strictObject({
  ...entryFields,
  /** By default `*`. */
  events: commonFields.events.optional(),
});

/** A target that receives messages. */
const manifestAlert = z.strictObject({
  ...entryFields,
  format: z.enum(TARGET_FORMATS).exclude(['json']),
  /** By default `relay.*`. */
  events: commonFields.events.optional(),
});

const MAX_ENTRIES = 200;

/** Targets as a file describes them, except listeners. */
const entries = {
  targets: z.array(manifestTarget).max(MAX_ENTRIES).optional(),
  alerts: z.array(manifestAlert).max(MAX_ENTRIES).optional(),
};

/** The file `switchboard.yaml`. */
export const manifestFile = z.strictObject({
  version: z.literal(1),
  /** Whose targets these are. By default `default`. */
  name: manifestName.optional(),
  ...entries,
});

export const manifestApply = z.strictObject({
  ...entries,
  /** Also removes the targets that this manifest manages and no longer has. */
  prune: z.boolean().optional(),
  /** Also takes targets of these names that it does not manage. */
  adopt: z.boolean().optional(),
  /** Only says what would change. */
  dry_run: z.boolean().optional(),
  /** That of an earlier answer: nothing is changed if the targets have changed since (409, `conflict`). */
  revision: z.string().max(100).optional(),
});
export type ManifestApply = z.infer<typeof manifestApply>;
export type ManifestEntry = z.infer<typeof manifestTarget> & Partial<z.infer<typeof manifestAlert>>;

const changedField = z.object({
  /** Such as `url`, `policy.timeout_ms`, `headers.authorization` or `secret`. */
  path: z.string(),
  /** Null: none, or not to be shown; keys in a URL are masked. */
  before: z.unknown(),
  after: z.unknown(),
  /** Whether it is a secret, of which only the change is shown. */
  secret: z.boolean(),
});

/** What becomes of a target. */
export const manifestChange = z.object({
  /** `rename` and `adopt` may change settings too. */
  action: z.enum(['create', 'change', 'rename', 'adopt', 'remove', 'none']),
  name: targetName,
  /** Null while it is not created. */
  id: targetId.nullable(),
  fields: z.array(changedField),
  /** How many queued deliveries its removal cancels. */
  cancels: z.number().int(),
});
export type ManifestChange = z.infer<typeof manifestChange>;

/** All changes, of which either each is stored or none. */
export const manifestResult = z.object({
  /** Of the targets of the manifest, after the changes. */
  revision: z.string(),
  changes: z.array(manifestChange),
});
export type ManifestResult = z.infer<typeof manifestResult>;

/** Which targets to export. */
export const manifestExportQuery = z.strictObject({
  /** Those of this manifest; by default all but listeners. */
  manifest: manifestName.optional(),
});
export type ManifestExportQuery = z.infer<typeof manifestExportQuery>;

/** Targets as a manifest has them: without secrets, and without what is the default. */
export const manifestExport = z.object({
  targets: z.array(manifestTarget),
  alerts: z.array(manifestAlert),
});
export type ManifestExport = z.infer<typeof manifestExport>;
