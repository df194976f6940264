import { Injectable } from '@nestjs/common';
import { Clock } from '../ground/clock';
import { currentAct, type Act } from '../ground/audit-context';
import { Journal, type Company, type Statement } from '../database/journal';
import { Log } from '../ground/log';

/** So many entries are kept, about 20 MB; the oldest go first. */
const KEPT = 100_000;

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
    journal.accompany(() => this.goAlong(currentAct()));
  }

  /** To be called once an act is through: writes its entry unless that went along with a change. */
  async completed(act: Act): Promise<void> {
    if (act.entry !== null) return;
    await this.write([this.insertion(act), FORGET], act);
  }

  /** To be called where an act failed: an entry that went along with a change of it says so. Else nothing was changed. */
  async failed(act: Act, code: string): Promise<void> {
    if (act.entry === null) return;
    await this.write([['UPDATE audit SET error = ? WHERE number = ?', [code, act.entry]]], act);
  }

  private goAlong(act: Act | null): Company | null {
    if (act?.state !== 'open') return null;
    act.state = 'taken';
    return {
      statements: [this.insertion(act), FORGET],
      settled: (rows) => {
        if (rows === null) act.state = 'open';
        else act.entry = (rows[0]![0] as { number: number }).number;
      },
    };
  }

  /** What was done stays done: a log that cannot be written is no reason to deny it. */
  private async write(statements: Statement[], { draft }: Act): Promise<void> {
    try {
      await this.journal.change(statements);
    } catch (error) {
      this.log.error({ err: error, action: draft.action, actor: draft.actor.kind }, 'audit log not written');
    }
  }

  private insertion({ draft, subject }: Act): Statement {
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

const FORGET: Statement = ['DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?', [KEPT]];
