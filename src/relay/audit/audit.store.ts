import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import {
  currentAction,
  type AuditedAction,
  type AuditedActionInit,
  type AuditedSubject,
} from '../ground/audit-context';
import { Journal } from '../database/journal/journal';
import { insert, type Attachment, type Statement } from '../database/journal/statements';
import { Log } from '../ground/log';

/** About 20 MB; the oldest entries are deleted first. */
const MAX_ENTRIES = 100_000;

/**
 * Writes the audit log. The entry of an action is part of the transaction of its first change, so neither is stored
 * without the other; if an action changes nothing here (a test sample, a repair at Co-Pilot), its entry is written
 * afterwards.
 */
@Injectable()
export class AuditStore {
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    journal.attachToChanges(() => this.attachment(currentAction()));
  }

  /** Call this after an action has succeeded: writes its entry unless a change, or its parts, included it. */
  async recordSuccess(action: AuditedAction): Promise<void> {
    if (action.entryKey !== null || action.hasParts) return;
    await this.write([...this.insertions(action), DELETE_OLDEST], action);
  }

  /**
   * Call this after an action has failed: adds the error to its entry, if a change included one. Otherwise nothing
   * changed.
   */
  async recordFailure(action: AuditedAction, code: string): Promise<void> {
    if (action.entryKey === null) return;
    await this.write([['UPDATE audit SET error = ? WHERE number = ?', [code, action.entryKey]]], action);
  }

  private attachment(action: AuditedAction | null): Attachment | null {
    if (action?.state !== 'open') return null;
    action.state = 'taken';
    return {
      statements: [...this.insertions(action), DELETE_OLDEST],
      onStored: (rows) => {
        if (rows === null) action.state = 'open';
        else action.entryKey = (rows[0]![0] as { number: number }).number;
      },
    };
  }

  /** Never fails: the action has already happened, so the caller must not be told that it failed. */
  private async write(statements: Statement[], { init }: AuditedAction): Promise<void> {
    try {
      await this.journal.change({ statements });
    } catch (error) {
      this.log.error({ err: error, action: init.action, actor: init.actor.kind }, 'audit entry not written');
    }
  }

  private insertions({ init, subject, parts }: AuditedAction): Statement[] {
    const { fields = [] } = init;
    return (parts ?? [{ subject, fields }]).map((part) => this.insertion(init, part));
  }

  private insertion(init: AuditedActionInit, { subject, fields }: AuditedSubject): Statement {
    const { actor, action, address, showsSecret = false } = init;
    const [sql, parameters] = insert('audit', {
      at: this.clock.now(),
      actor: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name,
      action,
      subject_id: subject?.id,
      subject_name: subject?.name,
      fields: JSON.stringify(fields),
      secret_shown: showsSecret,
      address,
    });
    return [`${sql} RETURNING number`, parameters];
  }
}

const DELETE_OLDEST: Statement = [
  'DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?',
  [MAX_ENTRIES],
];
