import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Duplicate, DuplicateQuery, DuplicateRelease, DuplicateState } from '../../contract/duplicate';
import type { Page } from '../../contract/page';
import { Clock } from '../ground/clock';
import { Journal, type ScheduleDraft, type Statement } from '../database/journal';
import { Reader, type RequestSignal } from '../database/reader';
import { deliveryId, duplicateId, keyOfDuplicateId, seqOfEventId, type DuplicateKey } from '../ground/ids';
import { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import { acceptingTargets } from '../targets/accepting-targets';
import { TargetsService } from '../targets/targets.service';
import { SerialQueue } from '../ground/serial-queue';
import { EventEntity } from './event.entity';
import { FindEvents } from './search/find-events';
import { parseStored } from './parse-stored';

interface Row extends DuplicateKey {
  receivedAt: number;
  state: DuplicateState;
  /** The numbers of targets, as JSON. */
  deliveredTo: string | null;
}

const ROWS = `SELECT event_seq AS seq, n, received_at AS "receivedAt", state, delivered_to AS "deliveredTo" FROM duplicates`;

/** Notifications that came again: held back until an operator says what is to become of them. */
@Injectable()
export class Duplicates {
  private readonly turns = new SerialQueue();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly events: FindEvents,
    private readonly targets: TargetsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Newest first. */
  async list(
    { event, state, limit, cursor }: DuplicateQuery,
    signal?: RequestSignal,
  ): Promise<Page<Duplicate>> {
    const from = cursor === undefined ? null : await this.find(cursor);
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
        `${ROWS} WHERE ${where.join(' AND ')} ORDER BY received_at DESC, event_seq DESC, n DESC LIMIT ?`,
        [...parameters, limit + 1],
      ],
      signal,
    );
    const page = await this.present(rows.slice(0, limit));
    return { data: page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
  }

  /**
   * Delivers the first's bytes once more, to the targets that accept it today and were not sent this repeat yet.
   * @throws RelayError `duplicate_unknown`, 404; `duplicate_settled` or `no_target`, 409
   */
  release(id: string): Promise<DuplicateRelease> {
    return this.turns.run(async () => {
      const row = await this.held(id);
      const drafts = await this.draftsOf(row);
      const { scheduled } = await this.journal.change([become(row, 'released')], drafts);
      const ids = scheduled.map((key) => deliveryId(key, this.journal.instanceId));
      this.log.info({ duplicate: id, deliveries: ids }, 'duplicate released');
      return { duplicate: await this.get(id), delivery_ids: ids };
    });
  }

  /** It stays held for good. @throws RelayError `duplicate_unknown`, 404; `duplicate_settled`, 409 */
  dismiss(id: string): Promise<Duplicate> {
    return this.turns.run(async () => {
      await this.journal.change([become(await this.held(id), 'dismissed')]);
      this.log.info({ duplicate: id }, 'duplicate dismissed');
      return this.get(id);
    });
  }

  private async draftsOf({ seq, deliveredTo }: Row): Promise<ScheduleDraft[]> {
    const event = await this.source.getRepository(EventEntity).findOneByOrFail({ seq });
    const sent = new Set(numbersIn(deliveredTo));
    const targets = acceptingTargets(event, this.targets.all(), () => parseStored(event.body)).filter(
      ({ number }) => !sent.has(number),
    );
    if (targets.length === 0) {
      throw new RelayError('no_target', 409, `No target accepts ${event.type} today that was not sent it.`, {
        remedy: 'Let a target accept this type, or dismiss the duplicate.',
      });
    }
    const at = this.clock.now();
    return targets.map(({ number }) => ({ seq, target: number, trigger: 'manual', replayId: null, at }));
  }

  private async held(id: string): Promise<Row> {
    const row = await this.find(id);
    if (row.state === 'held') return row;
    throw new RelayError('duplicate_settled', 409, `${id} is ${row.state} already.`, {
      remedy: 'To send its event again, replay the event.',
    });
  }

  private async get(id: string): Promise<Duplicate> {
    const [duplicate] = await this.present([await this.find(id)]);
    return duplicate ?? unknown(id);
  }

  private async find(id: string): Promise<Row> {
    const key = keyOfDuplicateId(id, this.journal.instanceId);
    const [row] =
      key === null
        ? []
        : await this.source.query<Row[]>(`${ROWS} WHERE event_seq = ? AND n = ?`, [key.seq, key.n]);
    return row ?? unknown(id);
  }

  /** Without those whose first was removed meanwhile, and they with it. */
  private async present(rows: readonly Row[]): Promise<Duplicate[]> {
    const firsts = await this.events.of([...new Set(rows.map(({ seq }) => seq))]);
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
          delivered_to: numbersIn(deliveredTo).flatMap((number) => this.targets.byNumber(number)?.id ?? []),
          first,
        },
      ];
    });
  }
}

const numbersIn = (list: string | null) => (list === null ? [] : (JSON.parse(list) as number[]));

const become = ({ seq, n }: Row, state: DuplicateState): Statement => [
  'UPDATE duplicates SET state = ? WHERE event_seq = ? AND n = ?',
  [state, seq, n],
];

function unknown(id: string): never {
  throw new RelayError('duplicate_unknown', 404, `There is no duplicate ${id}.`, {
    remedy: 'It may have been removed by retention; GET /api/v1/duplicates lists what is kept.',
  });
}
