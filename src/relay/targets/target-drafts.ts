import type { TransformSettings } from '../../contract/transform';
import type { Clock } from '../ground/clock';
import { newId } from '../ground/ids';
import type { Random } from '../ground/random';
import { insert, update, type Statement } from '../database/journal/statements';
import type { Sealer } from '../secrets/sealer';
import { secretKey, secretText, type TargetRecord, type TargetSettings } from './target-record';
import { matchersOf, secretColumns, settingsColumns } from './target-row';

const SECRET_BYTES = 32;

/** A change of a target: the statement that stores it, and what it changes in memory; null if it removes the target. */
export type TargetDraft = { statement: Statement } & (
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
    const [sql, parameters] = insert('targets', {
      id,
      ...settingsColumns(settings, this.sealer),
      ...secretColumns(secret, null, this.sealer),
      transform_version: transformVersion,
      managed_by: managedBy,
      created_at: now,
      updated_at: now,
    });
    const created: Omit<TargetRecord, 'number'> = {
      ...settings,
      ...matchers,
      transformVersion,
      id,
      paused: null,
      disabled: null,
      signingKey: secretKey(secret),
      previousSigningKey: null,
      managedBy,
      createdAt: now,
      updatedAt: now,
    };
    return { created, statement: [`${sql} RETURNING number`, parameters] as Statement };
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
    const { transform } = settings;
    const isNewTransform =
      transform !== undefined && transform !== null && differs(transform, before.transform);
    const transformVersion = before.transformVersion + Number(isNewTransform);
    const statement = update('targets', before.id, {
      ...settingsColumns(settings, this.sealer),
      ...columns,
      transform_version: transformVersion,
      managed_by: managedBy,
      updated_at: updatedAt,
    });
    const enabling = settings.enabled === true && { disabled: null };
    return {
      id: before.id,
      statement,
      changes: { ...settings, ...matchers, ...enabling, ...keys, transformVersion, managedBy, updatedAt },
    };
  }

  removal(id: string): TargetDraft {
    return { id, statement: update('targets', id, { deleted_at: this.clock.now() }), changes: null };
  }
}

/** Whether another body may be made of the same event. */
const differs = (one: TransformSettings, other: TransformSettings | null) =>
  one.expression !== other?.expression || one.content_type !== other.content_type;
