import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Duplicate, DuplicateQuery, DuplicateRelease, DuplicateState } from '../../contract/duplicate';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal, type ScheduleDraft } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { Reader, type RequestSignal } from '../database/reading/reader';
import { assertNotErased } from '../deliveries/assert-not-erased';
import { deliveryId, duplicateId, keyOfDuplicateId, seqOfEventId, type DuplicateKey } from '../ground/ids';
import { Log } from '../ground/log';
import { behindCursor, RelayError } from '../ground/relay-error';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';
import { SerialQueue } from '../ground/serial-queue';
import { EventEntity } from './event.entity';
import { parseBody } from '../ground/parse-body';
import { FindEventsQuery } from './search/find-events.query';
import { cutPage } from '../ground/cut-page';

interface Row extends DuplicateKey {
  receivedAt: number;
  state: DuplicateState;
  /** The targets it was delivered to on arrival: their numbers as JSON. */
  deliveredTo: string | null;
}

const SELECT_DUPLICATE = `SELECT event_seq AS seq, n, received_at AS "receivedAt", state, delivered_to AS "deliveredTo" FROM duplicates`;

/** Notifications received again: held until an operator releases or dismisses them. */
@Injectable()
export class DuplicatesService {
  private readonly queue = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly events: FindEventsQuery,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Newest first. */
  async list(
    { event, state, limit, cursor }: DuplicateQuery,
    signal?: RequestSignal,
  ): Promise<Page<Duplicate>> {
    const from = cursor === undefined ? null : await behindCursor(() => this.find(cursor));
    const where = ['(received_at, event_seq, n) < (?, ?, ?)'];
    const parameters: unknown[] = [from?.receivedAt ?? Number.MAX_SAFE_INTEGER, from?.seq ?? 0, from?.n ?? 0];
    if (state !== undefined) {
      where.push('state = ?');
      parameters.push(state);
    }
    if (event !== undefined) {
      where.push('event_seq = ?');
      parameters.push(seqOfEventId(event, this.journal.instanceId) ?? -1);
    }
    const rows = await this.reader.all<Row>(
      [
        `${SELECT_DUPLICATE} WHERE ${where.join(' AND ')} ORDER BY received_at DESC, event_seq DESC, n DESC LIMIT ?`,
        [...parameters, limit + 1],
      ],
      signal,
    );
    const listed = rows.map((row) => ({ ...row, id: duplicateId(row, this.journal.instanceId) }));
    const { data, next_cursor } = cutPage(listed, limit);
    return { data: await this.present(data), next_cursor };
  }

  /**
   * Delivers the event again, to the targets that accept it now and have not received this duplicate.
   * @throws RelayError `duplicate_unknown`, 404; `duplicate_settled` or `no_target`, 409; `event_erased`, 410
   */
  release(id: string): Promise<DuplicateRelease> {
    return this.queue.run(async () => {
      const row = await this.findHeld(id);
      await assertNotErased(this.source, row.seq);
      const drafts = await this.draftsOf(row);
      const { scheduled } = await this.journal.change({
        statements: [setState(row, 'released')],
        schedule: drafts,
      });
      const ids = scheduled.map((key) => deliveryId(key, this.journal.instanceId));
      this.log.info({ duplicate: id, deliveries: ids }, 'duplicate released');
      return { duplicate: await this.get(id), delivery_ids: ids };
    });
  }

  /** The duplicate is never delivered. @throws RelayError `duplicate_unknown`, 404; `duplicate_settled`, 409 */
  dismiss(id: string): Promise<Duplicate> {
    return this.queue.run(async () => {
      await this.journal.change({ statements: [setState(await this.findHeld(id), 'dismissed')] });
      this.log.info({ duplicate: id }, 'duplicate dismissed');
      return this.get(id);
    });
  }

  private async draftsOf({ seq, deliveredTo }: Row): Promise<ScheduleDraft[]> {
    const event = await this.source.getRepository(EventEntity).findOneByOrFail({ seq });
    const sent = new Set(parseNumbers(deliveredTo));
    const accepting = acceptingTargets(event, this.targets.all(), () => parseBody(event.body));
    // A duplicate changes nothing that a routed target could be informed about.
    const targets = accepting.filter(({ number, routing }) => !sent.has(number) && routing === null);
    if (targets.length === 0) {
      const detail = `Every target that accepts ${event.type} has already received this duplicate, or none accepts it.`;
      const remedy = 'Change the filter of a target so that it accepts this event, or dismiss the duplicate.';
      throw new RelayError('no_target', 409, detail, { remedy });
    }
    const at = this.clock.now();
    return targets.map(({ number }) => ({ seq, target: number, trigger: 'manual', replayId: null, at }));
  }

  private async findHeld(id: string): Promise<Row> {
    const row = await this.find(id);
    if (row.state === 'held') return row;
    throw new RelayError('duplicate_settled', 409, `${id} is already ${row.state}.`, {
      remedy: 'To send the event again, replay it.',
    });
  }

  private async get(id: string): Promise<Duplicate> {
    const [duplicate] = await this.present([await this.find(id)]);
    return duplicate ?? throwDuplicateUnknown(id);
  }

  private async find(id: string): Promise<Row> {
    const { seq = null, n = null } = keyOfDuplicateId(id, this.journal.instanceId) ?? {};
    const sql = `${SELECT_DUPLICATE} WHERE event_seq = ? AND n = ?`;
    const [row] = await this.source.query<Row[]>(sql, [seq, n]);
    return row ?? throwDuplicateUnknown(id);
  }

  /** Without those that retention has removed in the meantime with their event. */
  private async present(rows: readonly Row[]): Promise<Duplicate[]> {
    const firsts = await this.events.bySeqs([...new Set(rows.map(({ seq }) => seq))]);
    const bySeq = new Map(firsts.map((first) => [first.seq, first]));
    return rows.flatMap((row) => {
      const first = bySeq.get(row.seq);
      if (first === undefined) return [];
      const { n, receivedAt, state, deliveredTo } = row;
      return [
        {
          id: duplicateId(row, this.journal.instanceId),
          event_id: first.id,
          n,
          received_at: new Date(receivedAt).toISOString(),
          state,
          delivered_to: parseNumbers(deliveredTo).flatMap(
            (number) => this.targets.byNumber(number)?.id ?? [],
          ),
          first,
        },
      ];
    });
  }
}

const parseNumbers = (list: string | null) => (list === null ? [] : (JSON.parse(list) as number[]));

const setState = ({ seq, n }: Row, state: DuplicateState): Statement => [
  'UPDATE duplicates SET state = ? WHERE event_seq = ? AND n = ?',
  [state, seq, n],
];

function throwDuplicateUnknown(id: string): never {
  throw new RelayError('duplicate_unknown', 404, `There is no duplicate ${id}.`, {
    remedy: 'Retention may have removed it; GET /api/v1/duplicates lists the stored duplicates.',
  });
}
