import { z } from 'zod';
import { TARGET_FORMATS } from './constants';
import { targetId, textOf } from './primitives';
import { commonFields, inputFields, targetName } from './target';
import { signingSecret } from './target-secret';

export const manifestName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/, 'lowercase letters, digits, _ . and -')
  .describe('The name of the manifest.');

/** What is left out has its default, except `enabled` and secrets, which stay as they are. */
const entryFields = {
  name: targetName.describe('Identifies the target.'),
  renamed_from: targetName
    .optional()
    .describe('Its name until now: the target keeps its id and what is queued.'),
  url: commonFields.url.describe('Where events are sent.'),
  filter: commonFields.filter.optional().describe('Conditions on the payload; by default none.'),
  enabled: commonFields.enabled.optional().describe('By default as it is; true for a new target.'),
  signature: commonFields.signature.optional(),
  ed25519: commonFields.ed25519.optional(),
  policy: inputFields.policy
    .optional()
    .describe('How deliveries are sent; what is left out has its default.'),
  headers: inputFields.headers.optional().describe('A secret header without a value keeps it.'),
  tls: inputFields.tls.optional().describe("Certificates; by default the system's."),
  secret: signingSecret
    .optional()
    .describe('The signing secret. By default as it is; random for a new target.'),
};

const manifestTarget = z.strictObject({
  ...entryFields,
  transform: inputFields.transform.optional().describe('By default null.'),
  events: commonFields.events.optional().describe('By default `*`.'),
});

const manifestAlert = z
  .strictObject({
    ...entryFields,
    format: z.enum(TARGET_FORMATS).exclude(['json']).describe('The form of the messages.'),
    events: commonFields.events.optional().describe('By default `relay.*`.'),
  })
  .describe('A target that receives messages.');

const MAX_ENTRIES = 200;

/** Targets as a file describes them, except listeners. */
const entries = {
  targets: z
    .array(manifestTarget)
    .max(MAX_ENTRIES)
    .optional()
    .describe('Targets that receive events as they are stored.'),
  alerts: z
    .array(manifestAlert)
    .max(MAX_ENTRIES)
    .optional()
    .describe('Targets that receive messages about alerts.'),
};

export const manifestFile = z
  .strictObject({
    version: z.literal(1).describe('Of the format.'),
    name: manifestName.optional().describe('Whose targets these are. By default `default`.'),
    ...entries,
  })
  .describe('The file `switchboard.yaml`.');

export const manifestApply = z
  .strictObject({
    ...entries,
    prune: z
      .boolean()
      .optional()
      .describe('Also removes the targets that this manifest manages and no longer has.'),
    adopt: z.boolean().optional().describe('Also takes targets of these names that it does not manage.'),
    force: z.boolean().optional().describe('Also saves expressions of which tests fail.'),
    dry_run: z.boolean().optional().describe('Only says what would change.'),
    revision: textOf(100)
      .optional()
      .describe(
        'That of an earlier answer: nothing is changed if the targets have changed since (409, `conflict`).',
      ),
  })
  .describe('The targets of a manifest, and how to apply it.');
export type ManifestApply = z.infer<typeof manifestApply>;
export type ManifestEntry = z.infer<typeof manifestTarget> & Partial<z.infer<typeof manifestAlert>>;

const changedField = z.object({
  path: z.string().describe('Such as `url`, `policy.timeout_ms`, `headers.authorization` or `secret`.'),
  before: z.unknown().describe('Null: none, or not to be shown; keys in a URL are masked.'),
  after: z.unknown().describe('Likewise, afterwards.'),
  secret: z.boolean().describe('Whether it is a secret, of which only the change is shown.'),
});

export const manifestChange = z
  .object({
    action: z
      .enum(['create', 'change', 'rename', 'adopt', 'remove', 'none'])
      .describe('`rename` and `adopt` may change settings too.'),
    name: targetName,
    id: targetId.nullable().describe('Null while it is not created.'),
    fields: z.array(changedField).describe('What changes.'),
    cancels: z.number().int().describe('How many queued deliveries its removal cancels.'),
  })
  .describe('What becomes of a target.');
export type ManifestChange = z.infer<typeof manifestChange>;

export const manifestResult = z
  .object({
    revision: z.string().describe('Of the targets of the manifest, after the changes.'),
    changes: z.array(manifestChange).describe('What becomes of each target.'),
  })
  .describe('All changes, of which either each is stored or none.');
export type ManifestResult = z.infer<typeof manifestResult>;

export const manifestExportQuery = z
  .strictObject({
    manifest: manifestName.optional().describe('Those of this manifest; by default all but listeners.'),
  })
  .describe('Which targets to export.');
export type ManifestExportQuery = z.infer<typeof manifestExportQuery>;

export const manifestExport = z
  .object({
    targets: z.array(manifestTarget).describe('Targets that receive events as they are stored.'),
    alerts: z.array(manifestAlert).describe('Targets that receive messages.'),
  })
  .describe('Targets as a manifest has them: without secrets, and without what is the default.');
export type ManifestExport = z.infer<typeof manifestExport>;
