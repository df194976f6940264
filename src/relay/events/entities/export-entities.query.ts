import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EntityExportQuery } from '../../../contract/entity';
import type { ExportFormat } from '../../../contract/event';
import { Journal } from '../../database/journal/journal';
import type { RequestSignal } from '../../database/reading/reader';
import { stateConditions } from '../../filters/body-conditions';
import type { PayloadMask } from '../../filters/payload-mask';
import { oneAhead } from '../../ground/one-ahead';
import { writeJson } from '../../ground/parse-body';
import { Downloads } from '../downloads.service';
import { ExportPace } from '../export-pace';
import { FORMATS, withoutLineBreaks } from '../export-formats';
import { FindEventsQuery } from '../search/find-events.query';
import { toBatches } from '../search/match-bodies';
import { AsOfQuery } from './as-of.query';
import { EntityColumns } from './entity-columns';
import { EntityStatesQuery, type EntityState, type StateHead } from './entity-states.query';
import { MatchEntitiesQuery, type StateFilters } from './match-entities.query';
import { maskState, presentState } from './present-state';
import { WalkEntitiesQuery, type WalkedEntities } from './walk-entities.query';

/** The records whose fields become the columns of a CSV, and how much of them is kept until the columns are known. */
const SAMPLE_RECORDS = 1_000;
const SAMPLE_BYTES = 4 * 1024 * 1024;

/** Exports the states of all matching entities at a point in time, each once, by name. */
@Injectable()
export class ExportEntitiesQuery {
  constructor(
    private readonly points: AsOfQuery,
    private readonly entities: WalkEntitiesQuery,
    private readonly matching: MatchEntitiesQuery,
    private readonly states: EntityStatesQuery,
    private readonly events: FindEventsQuery,
    private readonly journal: Journal,
    private readonly downloads: Downloads,
    private readonly pace: ExportPace,
  ) {}

  /** @throws RelayError `filter_invalid` and `as_of_before_horizon`, 422 */
  async open(
    { as_of: at, as_of_seq: seq, kind, format, field, ...filters }: EntityExportQuery,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): Promise<() => Readable> {
    stateConditions(filters);
    const { seq: asOf } = await this.points.resolve({ at, seq }, signal);
    const states = this.read({ asOf, kind, signal }, filters, mask);
    return () =>
      this.downloads.stream(format === 'csv' ? this.toCsv(states, field) : this.toJson(states, format));
  }

  private async *read(
    walked: WalkedEntities,
    filters: StateFilters,
    mask: PayloadMask | null,
  ): AsyncGenerator<EntityState[]> {
    for await (const batch of oneAhead(this.batches(walked, filters)))
      for await (const some of this.pace.inTurns(batch))
        yield some.map((state) => maskState({ ...state, body: withoutLineBreaks(state.body) }, mask));
  }

  /** Two of them are in memory at a time. */
  private async *batches(walked: WalkedEntities, filters: StateFilters): AsyncGenerator<EntityState[]> {
    const { asOf, signal } = walked;
    for await (const { found } of this.matching.matching(
      this.entities.byName(walked, '', () => this.pace.itemsPerRead),
      asOf,
      filters,
      signal,
    ))
      for (const batch of toBatches(found.map(({ item }) => item)))
        yield this.withBodies(batch, asOf, signal);
  }

  /**
   * Reads the bodies of stored events by their `seq`. A state from the entity floor is derived again, as is one whose event
   * retention has moved there in the meantime.
   */
  private async withBodies(
    heads: readonly StateHead[],
    asOf: number,
    signal: RequestSignal | undefined,
  ): Promise<EntityState[]> {
    const stored = heads.filter(({ origin }) => origin === null).map(({ seq }) => seq);
    const bodies = await this.events.bodies(stored, signal);
    const others = heads.filter(({ origin, seq }) => origin !== null || !bodies.has(seq));
    const names = others.map(({ entity }) => entity);
    const derived = names.length === 0 ? [] : await this.states.states(names, asOf, signal);
    const byName = new Map(derived.map((state) => [state.entity, state]));
    return heads.flatMap((head) => {
      const body = head.origin === null ? bodies.get(head.seq) : undefined;
      return body === undefined ? (byName.get(head.entity) ?? []) : { ...head, body };
    });
  }

  private async *toJson(
    states: AsyncIterable<EntityState[]>,
    format: Exclude<ExportFormat, 'csv'>,
  ): AsyncGenerator<Buffer> {
    const { head, separator, tail } = FORMATS[format];
    const end = format === 'ndjson' ? '\n' : '';
    let between = head;
    for await (const batch of states) {
      const texts = batch.map((state) => `${writeJson(presentState(state, this.journal.instanceId))}${end}`);
      yield Buffer.from(`${between}${texts.join(separator)}`);
      between = separator;
    }
    yield Buffer.from(`${between === head ? head : ''}${tail}`);
  }

  private async *toCsv(
    states: AsyncIterable<EntityState[]>,
    paths: readonly string[] | undefined,
  ): AsyncGenerator<Buffer> {
    const { instanceId } = this.journal;
    let columns = paths === undefined ? null : new EntityColumns(paths, instanceId);
    if (columns !== null) yield columns.head();
    const first: EntityState[] = [];
    let bytes = 0;
    for await (const batch of states) {
      if (columns !== null) {
        yield columns.rows(batch);
        continue;
      }
      first.push(...batch);
      bytes += batch.reduce((sum, { body }) => sum + body.length, 0);
      if (first.length < SAMPLE_RECORDS && bytes < SAMPLE_BYTES) continue;
      columns = EntityColumns.of(first, instanceId);
      yield Buffer.concat([columns.head(), columns.rows(first)]);
    }
    if (columns !== null) return;
    columns = EntityColumns.of(first, instanceId);
    yield Buffer.concat([columns.head(), columns.rows(first)]);
  }
}
