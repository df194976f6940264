import type { Clock } from '../ground/clock';
import { newId } from '../ground/ids';
import type { Random } from '../ground/random';
import { insert, update, type Statement } from '../database/journal/statements';
import type { Sealer } from '../secrets/sealer';
import { secretKey, secretText, type TargetRecord, type TargetSettings } from './target-record';
import { routingFor, startRouting, STOP_UNUSED } from './routing';
import { matchersOf, secretColumns, settingsColumns } from './target-row';

const SECRET_BYTES = 32;

/** A change of a target: the statements that store it, and what it changes in memory; null if it removes the target. */
export type TargetDraft = { statement: Statement; alongside?: Statement[] } & (
  | { created: Omit<TargetRecord, 'number'> }
  | { id: string; changes: Partial<TargetRecord> | null }
);

/** What a change of settings may change besides. */
interface Others {
  /** The new signing secret, and until when (ms since 1970) the present one signs as well. */
  secret?: { text: string; overlapUntil: number | null } | null;
  managedBy?: string | null;
}

/** Drafts changes of targets, which `TargetsService.save` stores. */
export class TargetDrafts {
  constructor(
    private readonly sealer: Sealer,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  newSecret(): string {
    return secretText(this.random.bytes(SECRET_BYTES));
  }

  /** @throws RelayError `filter_invalid`, 422 */
  creation(settings: TargetSettings, secret: string, managedBy: string | null = null) {
    const matchers = matchersOf(settings);
    const now = this.clock.now();
    const id = newId('tgt', now, this.random);
    const transformVersion = settings.transform === null ? 0 : 1;
    const routing = routingFor(settings.filter, null);
    const [sql, parameters] = insert('targets', {
      id,
      ...settingsColumns(settings, this.sealer),
      ...secretColumns(secret, null, this.sealer),
      transform_version: transformVersion,
      routing,
      managed_by: managedBy,
      created_at: now,
      updated_at: now,
    });
    const created: Omit<TargetRecord, 'number'> = {
      ...settings,
      ...matchers,
      transformVersion,
      routing,
      id,
      paused: null,
      disabled: null,
      signingKey: secretKey(secret),
      previousSigningKey: null,
      managedBy,
      createdAt: now,
      updatedAt: now,
    };
    return {
      created,
      statement: [`${sql} RETURNING number`, parameters] as Statement,
      ...(routing !== null && { alongside: startRouting(id) }),
    };
  }

  /** @throws RelayError `filter_invalid`, 422 */
  change(
    before: TargetRecord,
    settings: Partial<TargetSettings>,
    { secret = null, managedBy = before.managedBy }: Others = {},
  ): TargetDraft {
    const matchers = matchersOf({ ...before, ...settings });
    const updatedAt = this.clock.now();
    const until = secret?.overlapUntil ?? null;
    const { signingKey } = before;
    const columns =
      secret &&
      secretColumns(
        secret.text,
        until === null ? null : { secret: secretText(signingKey), until },
        this.sealer,
      );
    const keys = secret && {
      signingKey: secretKey(secret.text),
      previousSigningKey: until === null ? null : { key: signingKey, until },
    };
    const after = { ...before, ...settings };
    const isNewTransform = after.transform !== null && makesOther(after, before);
    const transformVersion = before.transformVersion + Number(isNewTransform);
    const isReplaced = before.transform !== null && (after.transform === null || isNewTransform);
    const routing = routingFor(after.filter, before.routing);
    const statement = update('targets', before.id, {
      ...settingsColumns(settings, this.sealer),
      ...columns,
      transform_version: transformVersion,
      routing,
      managed_by: managedBy,
      updated_at: updatedAt,
    });
    const enabling = settings.enabled === true && { disabled: null };
    return {
      id: before.id,
      statement,
      alongside: [
        ...(isReplaced ? [insert('target_transforms', replacedColumns(before, updatedAt))] : []),
        ...(routing !== null && before.routing === null ? startRouting(before.id) : []),
      ],
      changes: {
        ...settings,
        ...matchers,
        ...enabling,
        ...keys,
        transformVersion,
        routing,
        managedBy,
        updatedAt,
      },
    };
  }

  removal(id: string): TargetDraft {
    return {
      id,
      statement: update('targets', id, { deleted_at: this.clock.now() }),
      alongside: [STOP_UNUSED],
      changes: null,
    };
  }
}

type Transformed = Pick<TargetRecord, 'name' | 'transform'>;

/** Whether a target may make another body of the same event. */
const makesOther = (after: Transformed, before: Transformed) =>
  after.transform?.expression !== before.transform?.expression ||
  after.transform?.content_type !== before.transform?.content_type ||
  (after.name !== before.name && /\$target\b/.test(after.transform?.expression ?? ''));

/** A version that another one replaces, as what it has made can be made again. */
const replacedColumns = (
  { number, name, transform, transformVersion }: TargetRecord,
  replacedAt: number,
) => ({
  target: number,
  version: transformVersion,
  name,
  language: transform!.language,
  expression: transform!.expression,
  content_type: transform!.content_type,
  replaced_at: replacedAt,
});
