import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SCHEMA_LEARNED_EVENTS } from '../../contract/constants';
import type { PayloadChange } from '../../contract/payload-type';
import { Journal } from '../database/journal/journal';
import { insert, type Statement } from '../database/journal/statements';
import { inJsonList } from '../database/reading/dialect';
import { Clock } from '../ground/clock';
import { eventId } from '../ground/ids';
import { TimeBounds } from '../ground/time-bounds';
import { compareSchemas, markGone, type SchemaChange } from './compare-schemas';
import { readSchema, writeSchema, type TypeSchema } from './schema-node';

const LEARNED_MS = 24 * 3_600_000;

/** Further changes of the same release of the sender often follow. */
const COLLECTED_MS = 10 * 60_000;
const LEAST_INTERVAL_MS = 3_600_000;
const CHANGED_MS = 7 * 86_400_000;
const KEPT_VERSIONS = 20;

/** What the payloads of a type looked like at a time. */
export interface SchemaVersion {
  type: string;
  /** From 1. */
  version: number;
  /** As `writeSchema` returns it. */
  schema: string;
  /** From the version before. */
  changes: PayloadChange[];
  created_at: number;
  accepted_at: number | null;
}

type VersionRow = Omit<SchemaVersion, 'changes'> & { changes: string };

/** The versions of the schemas: the newest of each type in memory, the others on disk. */
@Injectable()
export class SchemaVersions {
  private newest = new Map<string, SchemaVersion>();
  /** By type, since when its schema has differed from the newest version, by monotonic time. */
  private readonly changedSince = new Map<string, number>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  async load(): Promise<void> {
    const rows = await this.source.query<VersionRow[]>(
      `SELECT * FROM payload_schema_versions AS newest WHERE version =
         (SELECT max(version) FROM payload_schema_versions WHERE type = newest.type)`,
    );
    this.newest = new Map(rows.map((row) => [row.type, fromRow(row)]));
  }

  newestOf(type: string): SchemaVersion | undefined {
    return this.newest.get(type);
  }

  async find(type: string, version: number): Promise<SchemaVersion | undefined> {
    const [row] = await this.source.query<VersionRow[]>(
      'SELECT * FROM payload_schema_versions WHERE type = ? AND version = ?',
      [type, version],
    );
    return row && fromRow(row);
  }

  /** Newest first. */
  async list(type: string): Promise<Omit<SchemaVersion, 'schema'>[]> {
    const rows = await this.source.query<VersionRow[]>(
      `SELECT type, version, changes, created_at, accepted_at FROM payload_schema_versions
       WHERE type = ? ORDER BY version DESC`,
      [type],
    );
    return rows.map(fromRow);
  }

  stateOf(type: string): 'learning' | 'stable' | 'changed' {
    const newest = this.newest.get(type);
    if (newest === undefined) return 'learning';
    const { version, created_at: at, accepted_at: acceptedAt } = newest;
    return version > 1 && acceptedAt === null && this.bounds.ageOf(at) < CHANGED_MS ? 'changed' : 'stable';
  }

  /** The newest versions of the types that have changed. */
  changed(): SchemaVersion[] {
    return [...this.newest.values()].filter(({ type }) => this.stateOf(type) === 'changed');
  }

  /** Does nothing without a version, or if the newest one was accepted before. */
  async accept(type: string): Promise<void> {
    const newest = this.newest.get(type);
    if (newest === undefined || newest.accepted_at !== null) return;
    const accepted = { ...newest, accepted_at: this.clock.now() };
    const { accepted_at: at, version } = accepted;
    await this.journal.change({
      statements: [
        [
          'UPDATE payload_schema_versions SET accepted_at = ? WHERE type = ? AND version = ?',
          [at, type, version],
        ],
      ],
    });
    this.newest.set(type, accepted);
  }

  /** Changes the schema of the newest version. @returns what stores that; `load` undoes it before */
  changeNewest(type: string, change: (schema: TypeSchema) => void): Statement[] {
    const newest = this.newest.get(type);
    if (newest === undefined) return [];
    const schema = readSchema(newest.schema);
    change(schema);
    const changed = { ...newest, schema: writeSchema(schema) };
    this.newest.set(type, changed);
    return [
      [
        'UPDATE payload_schema_versions SET schema = ? WHERE type = ? AND version = ?',
        [changed.schema, type, newest.version],
      ],
    ];
  }

  /** @returns what removes the versions of a type; `load` undoes it before */
  forget(type: string): Statement[] {
    this.newest.delete(type);
    this.changedSince.delete(type);
    return [['DELETE FROM payload_schema_versions WHERE type = ?', [type]]];
  }

  /** Whether its schema may need a version, though nothing new was examined. */
  isPending(type: string): boolean {
    return !this.newest.has(type) || this.changedSince.has(type);
  }

  /** The version that the schema of a type, as it is now, has to become; null if none. */
  async next(type: string, text: string): Promise<SchemaVersion | null> {
    const newest = this.newest.get(type);
    const schema = readSchema(text);
    markGone(schema, (time) => this.bounds.ageOf(time));
    if (newest === undefined) return this.isLearned(schema) ? this.draft(type, 1, schema, []) : null;
    const changes = compareSchemas(readSchema(newest.schema), schema);
    return this.isDue(newest, changes) ? this.draft(type, newest.version + 1, schema, changes) : null;
  }

  /** What stores a version, and removes one too many. */
  statementsFor(version: SchemaVersion): Statement[] {
    return [
      insert('payload_schema_versions', { ...version, changes: JSON.stringify(version.changes) }),
      [
        'DELETE FROM payload_schema_versions WHERE type = ? AND version <= ?',
        [version.type, version.version - KEPT_VERSIONS],
      ],
    ];
  }

  wasStored(version: SchemaVersion): void {
    this.newest.set(version.type, version);
    this.changedSince.delete(version.type);
  }

  private isLearned({ root }: TypeSchema): boolean {
    return root.count >= SCHEMA_LEARNED_EVENTS || this.bounds.ageOf(root.first[1]) >= LEARNED_MS;
  }

  private isDue({ type, version, created_at: at }: SchemaVersion, changes: readonly SchemaChange[]): boolean {
    if (changes.length === 0) {
      this.changedSince.delete(type);
      return false;
    }
    const now = this.clock.monotonic();
    const since = this.changedSince.get(type) ?? now;
    this.changedSince.set(type, since);
    return now - since >= COLLECTED_MS && (version === 1 || this.bounds.ageOf(at) >= LEAST_INTERVAL_MS);
  }

  private async draft(
    type: string,
    version: number,
    schema: TypeSchema,
    changes: readonly SchemaChange[],
  ): Promise<SchemaVersion> {
    const rows = await this.source.query<{ seq: number; received_at: number }[]>(
      `SELECT seq, received_at FROM events WHERE seq ${inJsonList()}`,
      [JSON.stringify(changes.map(({ seq }) => seq))],
    );
    const ids = new Map(
      rows.map(({ seq, received_at: at }) => [seq, eventId(at, seq, this.journal.instanceId)]),
    );
    return {
      type,
      version,
      schema: writeSchema(schema),
      changes: changes.map(({ seq, ...change }) => ({ ...change, event_id: ids.get(seq ?? 0) ?? null })),
      created_at: this.clock.now(),
      accepted_at: null,
    };
  }
}

const fromRow = (row: VersionRow): SchemaVersion => ({
  ...row,
  changes: JSON.parse(row.changes) as PayloadChange[],
});
