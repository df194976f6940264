import type { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import { Signal } from '../ground/signal';
import { maskAddress } from './address-credentials';
import type { TargetChange } from './target-follower';
import type { TargetRecord } from './target-record';

/** The targets in memory, in order of creation; tells of each change. */
export class TargetRecords {
  private records: readonly TargetRecord[] = [];
  readonly changes = new Signal<TargetChange>();

  constructor(private readonly log: Log) {}

  all(): readonly TargetRecord[] {
    return this.records;
  }

  byNumber(number: number): TargetRecord | null {
    return this.records.find((record) => record.number === number) ?? null;
  }

  find(id: string): TargetRecord | undefined {
    return this.records.find((record) => record.id === id);
  }

  /** @throws RelayError `target_unknown`, 404 */
  byId(id: string): TargetRecord {
    const record = this.find(id);
    if (record !== undefined) return record;
    throw new RelayError('target_unknown', 404, `There is no target ${id}.`, {
      remedy: 'GET /api/v1/targets lists all targets.',
    });
  }

  /** Tells of no change. */
  load(records: readonly TargetRecord[]): void {
    this.records = records;
  }

  add(record: TargetRecord): TargetRecord {
    this.records = [...this.records, record];
    this.changed(record, record, 'target created');
    return record;
  }

  /** @param action for the log */
  replace(id: string, changes: Partial<TargetRecord>, action: string): TargetRecord {
    const before = this.byId(id);
    const record = { ...before, ...changes };
    this.records = this.records.map((candidate) => (candidate.id === id ? record : candidate));
    this.changed(record, before, action);
    return record;
  }

  remove(id: string): TargetRecord {
    const record = this.byId(id);
    this.records = this.records.filter((candidate) => candidate !== record);
    this.changed(record, record, 'target removed');
    return record;
  }

  private changed(record: TargetRecord, before: TargetRecord, action: string): void {
    const { id: target, name, format, events, enabled, paused, disabled } = record;
    const url = maskAddress(record.url, format);
    this.log.info({ target, name, url, format, events, enabled, paused, disabled }, action);
    this.changes.emit(record, before);
  }
}
