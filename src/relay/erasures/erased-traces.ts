import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventSummary } from '../../contract/event';
import type { TransformTest } from '../../contract/transform';
import { QUOTING_EVENTS } from '../database/erasure-rules';
import { Journal } from '../database/journal/journal';
import { inJsonList } from '../database/reading/dialect';
import type { SeqRange } from '../database/reading/walk-seqs';
import { AlertsService } from '../events/alerts.service';
import { FindEventsQuery } from '../events/search/find-events.query';
import { bodyConditions, judgeBodies } from '../filters/body-conditions';
import { isJsonObject, parseBody } from '../ground/parse-body';
import { MAX_NAME_LENGTH } from '../ground/record-name';
import { PayloadSchemasService } from '../payload-schemas/payload-schemas.service';
import { ReplayConditionsEraser } from '../replays/replay-conditions-eraser';
import { SavedViewsService } from '../saved-views/saved-views.service';
import { TargetsService } from '../targets/targets.service';
import { quotation } from '../system-events/describe-target-problem';

type Said = { sentence: string; data: Record<string, unknown> };

/** Erases what others have kept of events: what has to be compared with their content, before that is gone. */
@Injectable()
export class ErasedTraces {
  /** By erased excerpt: up to which event none quotes it. Later ones can quote the same text again. */
  private readonly rewrittenThrough = new Map<string, number>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly finder: FindEventsQuery,
    private readonly replays: ReplayConditionsEraser,
    private readonly schemas: PayloadSchemasService,
    private readonly views: SavedViewsService,
    private readonly alerts: AlertsService,
    private readonly targets: TargetsService,
  ) {}

  /** @returns their bodies, by `seq`, for {@link forgetValues} */
  async erase(
    entity: string | null,
    events: readonly EventSummary[],
  ): Promise<ReadonlyMap<number, Uint8Array>> {
    const bodies = await this.finder.bodies(events.map(({ seq }) => seq));
    const all = [...bodies.values()];
    await this.replays.erase(entity, all);
    await this.eraseViews(entity, all);
    await this.eraseTests(new Set(events.map(({ id }) => id)));
    await this.forgetValues(events, bodies);
    await this.eraseQuotations(events.map(({ seq }) => seq));
    return bodies;
  }

  /** Values in schemas: before the events are erased, and again after it, since they may have been examined meanwhile. */
  async forgetValues(
    events: readonly EventSummary[],
    bodies: ReadonlyMap<number, Uint8Array>,
  ): Promise<void> {
    const readable = events.filter(({ unreadable }) => unreadable === null);
    for (const type of new Set(readable.map((event) => event.type))) {
      const ofType = readable
        .filter((event) => event.type === type)
        .flatMap(({ seq }) => bodies.get(seq) ?? []);
      await this.schemas.forgetValuesOf(type, ofType);
    }
  }

  /** Saved views of a list that name the entity, or look for a text of the events. */
  private async eraseViews(entity: string | null, bodies: readonly Uint8Array[]): Promise<void> {
    for (const { id, address } of this.views.list()) {
      const { pathname, searchParams } = new URL(address, 'http://hub');
      const conditions = bodyConditions({ q: searchParams.get('q') ?? undefined });
      const namesEntity =
        entity !== null &&
        (searchParams.getAll('entity').includes(entity) ||
          pathname.endsWith(`/${encodeURIComponent(entity)}`));
      if (
        namesEntity ||
        (conditions !== null && bodies.some((body) => judgeBodies([conditions])(body)?.[0] === true))
      )
        await this.views.remove(id);
    }
  }

  /** Tests of expressions with the payload of one of the events. */
  private async eraseTests(ids: ReadonlySet<string>): Promise<void> {
    const isKept = ({ from_event_id: id, previous_event_id: previous }: TransformTest) =>
      !ids.has(id ?? '') && !ids.has(previous ?? '');
    for (const { id, transform } of this.targets.all()) {
      const tests = transform?.tests ?? [];
      if (transform === null || tests.every(isKept)) continue;
      await this.targets.update(id, {
        transform: { ...transform, tests: tests.filter(isKept) },
        force: true,
      });
    }
    const deleted = await this.source.query<{ number: number; transform: string }[]>(
      `SELECT number, transform FROM targets WHERE deleted_at IS NOT NULL AND transform LIKE '%_event_id"%'`,
    );
    const concerned = deleted.filter(
      ({ transform }) => !(JSON.parse(transform) as { tests: TransformTest[] }).tests.every(isKept),
    );
    for (const { number } of concerned)
      await this.journal.change({
        statements: [['UPDATE targets SET transform = NULL WHERE number = ?', [number]]],
      });
  }

  /** Alerts about a target, and their system events, quote its response, which may quote what it was sent. */
  private async eraseQuotations(seqs: readonly number[]): Promise<void> {
    const rows = await this.source.query<{ excerpt: string }[]>(
      `SELECT excerpt FROM attempts WHERE excerpt IS NOT NULL AND event_seq ${inJsonList()} UNION
       SELECT excerpt FROM attempts WHERE excerpt IS NOT NULL AND previous > 0 AND previous ${inJsonList()}`,
      [JSON.stringify(seqs), JSON.stringify(seqs)],
    );
    const excerpts = new Set(rows.map(({ excerpt }) => excerpt));
    if (excerpts.size === 0) return;
    const change = (said: Said) => withoutQuotation(said, excerpts);
    await this.alerts.rewrite(change);
    const after = Math.min(...[...excerpts].map((excerpt) => this.rewrittenThrough.get(excerpt) ?? 0));
    const range = await this.finder.storedRange({ after, before: Infinity });
    for (const type of QUOTING_EVENTS) await this.rewriteEvents(type, range, change);
    for (const excerpt of excerpts) this.rewrittenThrough.set(excerpt, range.before - 1);
  }

  private async rewriteEvents(
    type: string,
    range: SeqRange,
    change: (said: Said) => Said | null,
  ): Promise<void> {
    for await (const { rows } of this.finder.walk({ type: [type] }, range, 'oldest first', 200))
      for (const [seq, bytes] of await this.finder.bodies(rows.map(({ seq: found }) => found))) {
        const body = parseBody(bytes);
        const data = isJsonObject(body) ? (body['data'] as Said['data'] & { sentence: string }) : null;
        const changed = data && change({ sentence: data.sentence, data });
        if (changed === null) continue;
        const written = { ...(body as object), data: { ...changed.data, sentence: changed.sentence } };
        await this.journal.change({
          statements: [
            [
              'UPDATE events SET name = ?, body = ? WHERE seq = ?',
              [changed.sentence.slice(0, MAX_NAME_LENGTH), Buffer.from(JSON.stringify(written)), seq],
            ],
          ],
        });
      }
  }
}

/** Null if it quotes none of these. */
function withoutQuotation({ sentence, data }: Said, excerpts: ReadonlySet<string>): Said | null {
  const { excerpt } = data;
  if (typeof excerpt !== 'string' || !excerpts.has(excerpt)) return null;
  return { sentence: sentence.replace(quotation(excerpt), ''), data: { ...data, excerpt: null } };
}
