import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import type { PayloadType, PayloadTypeQuery, PayloadTypes } from '../../contract/payload-type';
import { Journal } from '../database/journal/journal';
import { upsert } from '../database/journal/statements';
import { Reader } from '../database/reading/reader';
import { SqliteReader } from '../database/sqlite/sqlite-reader';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { OnListening } from '../ground/on-listening';
import { RelayError } from '../ground/relay-error';
import { TimeBounds } from '../ground/time-bounds';
import { Settings } from '../settings/settings';
import { eventMatcher } from '../targets/match-event';
import { exportJsonSchema } from './export-json-schema';
import { exportTypeScript } from './export-typescript';
import { presentNode, presentType } from './present-type';
import { HAS_NEW, SchemaFollower, type OwnReader } from './schema-follower';
import { readSchema } from './schema-node';

const SAVE_EVERY_MS = 60_000;

/** What the payloads of each event type look like, learned from the stored events. */
@Injectable()
export class PayloadSchemasService implements OnModuleInit, OnListening, OnModuleDestroy {
  private follower!: SchemaFollower;
  /** The types with schemas that are not stored yet. */
  private readonly unsaved = new Set<string>();
  private watching = false;
  private readonly saving = new NonOverlapping(
    () => this.save(),
    (error) => this.log.warn({ err: error }, 'payload schemas not saved'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly reader: Reader,
    private readonly settings: Settings,
    private readonly bounds: TimeBounds,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ type: string; schema: string }[]>('SELECT * FROM payload_schemas');
    const [position] = await this.source.query<{ seq: number }[]>('SELECT seq FROM schema_position');
    this.follower = new SchemaFollower(
      () => this.openReader(),
      async (after) => (await this.source.query<unknown[]>(HAS_NEW, [after])).length > 0,
      new Map(rows.map(({ type, schema }) => [type, schema])),
      position?.seq ?? 0,
      (types) => types.forEach((type) => this.unsaved.add(type)),
      (error, isLast) => {
        this.watching = !isLast;
        this.log.warn({ err: error, ends: isLast }, 'payloads could not be examined');
      },
    );
  }

  onListening(): void {
    if (!this.settings.watchesContract) return;
    this.watching = true;
    this.follower.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.follower.stop();
    await this.saving.run();
    await this.saving.stop();
  }

  @Interval(SAVE_EVERY_MS)
  tick(): Promise<void> {
    return this.saving.run();
  }

  list(): PayloadTypes {
    const types = [...this.follower.schemas.keys()].toSorted();
    return { data: types.map((type) => this.present(type).summary), watching: this.watching };
  }

  /** @throws RelayError `type_unknown`, 404 */
  get(type: string): PayloadType {
    if (!this.follower.schemas.has(type))
      throw new RelayError('type_unknown', 404, `No event of the type ${type} was examined.`, {
        remedy: 'GET /api/v1/types lists the types.',
      });
    const { schema, summary } = this.present(type);
    return { ...summary, root: { ...presentNode(schema.root) } };
  }

  export({ format, type: patterns = ['*'] }: PayloadTypeQuery): string {
    const accepts = eventMatcher(patterns);
    const types = [...this.follower.schemas].filter(([type]) => accepts({ type }));
    const roots = new Map(types.map(([type, text]) => [type, readSchema(text).root]));
    return format === 'json_schema' ? exportJsonSchema(roots) : exportTypeScript(roots);
  }

  /** A reader of SQLite is a thread: what it does for users must not wait behind this. */
  private openReader(): OwnReader {
    if (!(this.reader instanceof SqliteReader)) return { reader: this.reader, close: async () => undefined };
    const reader = new SqliteReader(this.settings.databaseFile);
    return { reader, close: () => reader.close() };
  }

  private present(type: string) {
    const schema = readSchema(this.follower.schemas.get(type)!);
    return { schema, summary: presentType(type, schema, this.bounds.ageOf(schema.root.first[1])) };
  }

  /** Schemas and position in one transaction: no event is lost or counted twice. */
  private async save(): Promise<void> {
    const types = [...this.unsaved];
    if (types.length === 0) return;
    this.unsaved.clear();
    const { schemas, through } = this.follower;
    const rows = types.map((type) => upsert('payload_schemas', 'type', { type, schema: schemas.get(type)! }));
    try {
      await this.journal.change({
        statements: [...rows, upsert('schema_position', 'id', { id: 1, seq: through })],
      });
    } catch (error) {
      for (const type of types) this.unsaved.add(type);
      throw error;
    }
  }
}
