import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PayloadFields } from '../../contract/payload-field';
import type {
  PayloadOverridesChange,
  PayloadType,
  PayloadTypeQuery,
  PayloadTypes,
  PayloadTypeVersions,
} from '../../contract/payload-type';
import { Journal } from '../database/journal/journal';
import { upsert, type Statement } from '../database/journal/statements';
import { Reader } from '../database/reading/reader';
import { SqliteReader } from '../database/sqlite/sqlite-reader';
import type { PayloadMask } from '../filters/payload-mask';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { OnListening } from '../ground/on-listening';
import { RelayError } from '../ground/relay-error';
import { setAuditSubject } from '../ground/audit-context';
import { SerialQueue } from '../ground/serial-queue';
import { Settings } from '../settings/settings';
import { eventMatcher } from '../targets/match-event';
import { addFields } from './add-fields';
import { HAS_NEW } from './choose-events';
import { exportAsyncApi } from './export-asyncapi';
import { exportJsonSchema } from './export-json-schema';
import { exportTypeScript } from './export-typescript';
import { maskChanges, maskSchema } from './mask-schema';
import { checkOverrides, overrideSchema, overridesOf } from './override-schema';
import { presentNode, presentType, presentVersion } from './present-type';
import { SchemaFollower } from './schema-follower';
import { readSchema, writeSchema, type SchemaNode, type TypeSchema } from './schema-node';
import { sharesValues } from './shared-values';
import { SchemaVersions, type SchemaVersion } from './schema-versions.store';

const EXPORTS = { typescript: exportTypeScript, json_schema: exportJsonSchema, asyncapi: exportAsyncApi };

const SAVE_EVERY_MS = 60_000;

/** What the payloads of each event type look like, learned from the stored events. */
@Injectable()
export class PayloadSchemasService implements OnModuleInit, OnListening, OnModuleDestroy {
  private follower!: SchemaFollower;
  /** The types with schemas that are not stored yet. */
  private readonly unsaved = new Set<string>();
  private isLoaded = false;
  private watching = false;
  /** What is stored, one after the other. */
  private readonly changes = new SerialQueue();
  private readonly saving = new NonOverlapping(
    () => this.changes.run(() => this.save()),
    (error) => this.log.warn({ err: error }, 'payload schemas not saved'),
  );

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly reader: Reader,
    private readonly settings: Settings,
    private readonly versions: SchemaVersions,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ type: string; schema: string }[]>('SELECT * FROM payload_schemas');
    await this.versions.load();
    const [position] = await this.source.query<{ seq: number }[]>('SELECT seq FROM schema_position');
    this.follower = new SchemaFollower(
      this.reader instanceof SqliteReader ? this.settings.databaseFile : null,
      this.reader,
      async (after) => (await this.source.query<unknown[]>(HAS_NEW, [after])).length > 0,
      new Map(rows.map(({ type, schema }) => [type, schema])),
      position?.seq ?? 0,
      (types) => types.forEach((type) => this.unsaved.add(type)),
      (error, isLast) => {
        this.watching = !isLast;
        this.log.warn({ err: error, ends: isLast }, 'payloads could not be examined');
      },
    );
    this.isLoaded = true;
  }

  onListening(): void {
    if (!this.settings.watchesContract) return;
    this.watching = true;
    this.follower.start();
  }

  async onModuleDestroy(): Promise<void> {
    // The start may have failed before.
    if (!this.isLoaded) return;
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

  /**
   * @param version by default as it is now
   * @throws RelayError `type_unknown`, `version_unknown`, 404
   */
  async get(type: string, mask: PayloadMask | null, version?: number): Promise<PayloadType> {
    this.assertKnown(type);
    if (version === undefined) return withRoot(this.present(type), mask);
    const found = await this.versions.find(type, version);
    if (found === undefined)
      throw new RelayError('version_unknown', 404, `There is no version ${version} of ${type}.`, {
        remedy: `GET /api/v1/types/${encodeURIComponent(type)}/versions lists the newest 20.`,
      });
    return withRoot(this.present(type, found.schema, found), mask);
  }

  /** Newest first. @throws RelayError `type_unknown`, 404 */
  async listVersions(type: string, mask: PayloadMask | null): Promise<PayloadTypeVersions> {
    this.assertKnown(type);
    const versions = await this.versions.list(type);
    const shown = versions.map((one) => ({ ...one, changes: maskChanges(type, one.changes, mask) }));
    return { data: shown.map(presentVersion) };
  }

  /** Accepts the newest version. @throws RelayError `type_unknown`, 404 */
  accept(type: string): Promise<PayloadType> {
    return this.changes.run(async () => {
      this.assertKnown(type);
      setAuditSubject({ id: type, name: null });
      await this.versions.accept(type);
      return withRoot(this.present(type), null);
    });
  }

  /** Changes what an operator has decided about paths. @throws RelayError `type_unknown`, 404; `overrides_invalid`, 422 */
  async override(type: string, changes: PayloadOverridesChange): Promise<PayloadType> {
    await this.edit(type, (schema) => {
      const present = overridesOf(schema);
      const overrides = {
        maps: changes.maps ?? present.maps,
        objects: changes.objects ?? present.objects,
        ignore: changes.ignore ?? present.ignore,
        enums: changes.enums ?? present.enums,
      };
      const errors = checkOverrides(schema, overrides);
      if (errors.length > 0)
        throw new RelayError('overrides_invalid', 422, `The paths do not fit ${type}.`, {
          remedy: `GET /api/v1/types/${encodeURIComponent(type)} shows its paths.`,
          errors,
        });
      const statements = this.versions.changeNewest(type, (one) => overrideSchema(one, overrides, schema));
      overrideSchema(schema, overrides, schema);
      this.follower.schemas.set(type, writeSchema(schema));
      this.unsaved.add(type);
      return statements;
    });
    return withRoot(this.present(type), null);
  }

  /** Forgets a type, to learn it anew from the events to come. @throws RelayError `type_unknown`, 404 */
  remove(type: string): Promise<void> {
    return this.edit(type, () => {
      this.follower.schemas.delete(type);
      this.unsaved.delete(type);
      return [['DELETE FROM payload_schemas WHERE type = ?', [type]], ...this.versions.forget(type)];
    });
  }

  /**
   * Forgets the type of events that are erased, if a value of theirs may be one of an enumeration. What is not reported
   * yet may have such a value, too: it is examined again.
   * @param bodies JSON
   */
  async forgetValuesOf(type: string, bodies: readonly Uint8Array[]): Promise<void> {
    await this.follower.startOver();
    const versions = await this.source.query<{ schema: string }[]>(
      'SELECT schema FROM payload_schema_versions WHERE type = ?',
      [type],
    );
    const present = this.follower.schemas.get(type);
    const texts = [...versions.map(({ schema }) => schema), ...(present === undefined ? [] : [present])];
    if (present !== undefined && texts.some((text) => sharesValues(readSchema(text).root, bodies)))
      await this.remove(type);
  }

  export({ format, type: patterns = ['*'] }: PayloadTypeQuery, mask: PayloadMask | null): string {
    return EXPORTS[format](this.roots(patterns, mask));
  }

  /** Adds what the schemas of these types know to the fields of the newest events. */
  addFields(found: PayloadFields, patterns: string[] = ['*'], mask: PayloadMask | null): PayloadFields {
    return addFields(found, [...this.roots(patterns, mask).values()]);
  }

  private roots(patterns: string[], mask: PayloadMask | null): Map<string, SchemaNode> {
    const accepts = eventMatcher(patterns);
    const types = [...this.follower.schemas].filter(([type]) => accepts({ type }));
    return new Map(types.map(([type, text]) => [type, maskSchema(type, readSchema(text).root, mask)]));
  }

  /** @param work changes what is in memory, and returns what stores that beside the schema */
  private edit(type: string, work: (schema: TypeSchema) => Statement[]): Promise<void> {
    return this.changes.run(() =>
      this.follower.change(async () => {
        this.assertKnown(type);
        setAuditSubject({ id: type, name: null });
        const before = this.follower.schemas.get(type)!;
        try {
          await this.save(work(readSchema(before)));
        } catch (error) {
          this.follower.schemas.set(type, before);
          await this.versions.load();
          throw error;
        }
      }),
    );
  }

  private assertKnown(type: string): void {
    if (!this.follower.schemas.has(type))
      throw new RelayError('type_unknown', 404, `No event of the type ${type} was examined.`, {
        remedy: 'GET /api/v1/types lists the types.',
      });
  }

  private present(
    type: string,
    text = this.follower.schemas.get(type)!,
    version = this.versions.newestOf(type),
  ) {
    const schema = readSchema(text);
    return { schema, summary: presentType(type, schema, this.versions.stateOf(type), version) };
  }

  /**
   * Schemas, position and versions in one transaction: no event is lost or counted twice.
   * @param edits run first
   */
  private async save(edits: readonly Statement[] = []): Promise<void> {
    const types = [...this.unsaved];
    const pending = [...this.follower.schemas.keys()].filter((type) => this.versions.isPending(type));
    const { schemas, through } = this.follower;
    const texts = new Map([...types, ...pending].map((type) => [type, schemas.get(type)!]));
    this.unsaved.clear();
    try {
      const versions: SchemaVersion[] = [];
      for (const [type, text] of texts) {
        const version = await this.versions.next(type, text);
        if (version !== null) versions.push(version);
        await nextTurn();
      }
      if (types.length + versions.length + edits.length === 0) return;
      await this.journal.change({
        statements: [
          ...edits,
          ...types.map((type) => upsert('payload_schemas', 'type', { type, schema: texts.get(type)! })),
          upsert('schema_position', 'id', { id: 1, seq: through }),
          ...versions.flatMap((version) => this.versions.statementsFor(version)),
        ],
      });
      for (const version of versions) this.versions.wasStored(version);
    } catch (error) {
      for (const type of types) this.unsaved.add(type);
      throw error;
    }
  }
}

const withRoot = (
  { schema, summary }: { schema: TypeSchema; summary: PayloadTypes['data'][number] },
  mask: PayloadMask | null,
): PayloadType => ({
  ...summary,
  overrides: overridesOf(schema),
  root: { ...presentNode(maskSchema(summary.type, schema.root, mask)) },
});
