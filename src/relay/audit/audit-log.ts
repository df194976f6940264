import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { currentAction, type AuditedAction } from '../ground/audit-context';
import { Journal, type Attachment, type Statement } from '../database/journal';
import { Log } from '../ground/log';

/** So many entries are kept, about 20 MB; the oldest go first. */
const MAX_ENTRIES = 100_000;

/**
 * Who did what. An act that stores something has its entry in the transaction of its first change, so that neither is on
 * disk without the other; an act that stores nothing here (a sample sent, a repair at Co-Pilot) is written after it.
 */
@Injectable()
export class AuditLog {
  constructor(
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    journal.attachToChanges(() => this.attachment(currentAction()));
  }

  /** To be called once an act is through: writes its entry unless that went along with a change. */
  async completed(act: AuditedAction): Promise<void> {
    if (act.entryKey !== null) return;
    await this.write([this.insertion(act), DELETE_OLDEST], act);
  }

  /** To be called where an act failed: an entry that went along with a change of it says so. Else nothing was changed. */
  async failed(act: AuditedAction, code: string): Promise<void> {
    if (act.entryKey === null) return;
    await this.write([['UPDATE audit SET error = ? WHERE number = ?', [code, act.entryKey]]], act);
  }

  private attachment(act: AuditedAction | null): Attachment | null {
    if (act?.state !== 'open') return null;
    act.state = 'taken';
    return {
      statements: [this.insertion(act), DELETE_OLDEST],
      onStored: (rows) => {
        if (rows === null) act.state = 'open';
        else act.entryKey = (rows[0]![0] as { number: number }).number;
      },
    };
  }

  /** What was done stays done: a log that cannot be written is no reason to deny it. */
  private async write(statements: Statement[], { init: draft }: AuditedAction): Promise<void> {
    try {
      await this.journal.change(statements);
    } catch (error) {
      this.log.error({ err: error, action: draft.action, actor: draft.actor.kind }, 'audit log not written');
    }
  }

  private insertion({ init: draft, subject }: AuditedAction): Statement {
    const { actor, action, address, fields = [], showsSecret = false } = draft;
    return [
      `INSERT INTO audit(at, actor, actor_id, actor_name, action, subject_id, subject_name, fields, secret_shown, address)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
      [
        this.clock.now(),
        actor.kind,
        actor.id,
        actor.name,
        action,
        subject?.id,
        subject?.name,
        JSON.stringify(fields),
        showsSecret,
        address,
      ],
    ];
  }
}

const DELETE_OLDEST: Statement = [
  'DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?',
  [MAX_ENTRIES],
];
