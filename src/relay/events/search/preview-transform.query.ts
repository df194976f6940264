import { Injectable } from '@nestjs/common';
import type { TransformPreview, TransformPreviewQuery } from '../../../contract/transform';
import { Journal } from '../../database/journal/journal';
import type { RequestSignal } from '../../database/reading/reader';
import { eventId } from '../../ground/ids';
import { outputOf } from '../../transforms/output-of';
import { EventTransformer } from '../../transforms/event-transformer';
import { transformUnavailable } from '../../transforms/transform-unavailable';
import { EventsService } from '../events.service';
import { PreviewFilterQuery } from './preview-filter.query';

/** In how many of the newest events matches are looked for. */
const MAX_SEARCHED = 1_000;

/** Limits on what is returned, and on the time it takes. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_MS = 5_000;

/** Shows what an expression makes of stored events. */
@Injectable()
export class PreviewTransformQuery {
  constructor(
    private readonly filters: PreviewFilterQuery,
    private readonly events: EventsService,
    private readonly journal: Journal,
    private readonly transformer: EventTransformer,
  ) {}

  /** @throws RelayError `filter_invalid`, 422; `event_unknown`, 404; `event_erased`, 410; `transform_unavailable`, 503 */
  async preview(query: TransformPreviewQuery, signal?: RequestSignal): Promise<TransformPreview> {
    const deadline = performance.now() + MAX_MS;
    const data: TransformPreview['data'] = [];
    const durations: number[] = [];
    let length = 0;
    for (const seq of await this.seqsOf(query, signal)) {
      const event = await this.journal.readEvent(seq);
      if (event === null) continue;
      const { outcome, previous } = await this.transformer.evaluate(query, event, { name: query.name });
      if (outcome === null) throw transformUnavailable();
      const shared = {
        event_id: eventId(event.receivedAt, seq, this.journal.instanceId),
        ...(previous?.text !== undefined && {
          previous: JSON.parse(previous.text) as unknown,
          previous_event_id: previous.id,
        }),
      };
      length += previous?.text?.length ?? 0;
      if ('failure' in outcome) data.push({ ...shared, ok: false, error: outcome.failure });
      else {
        data.push({ ...shared, ok: true, output: outputOf(outcome.body, query.content_type) });
        durations.push(outcome.tookMs);
        length += outcome.body.length;
      }
      if (length > MAX_LENGTH || performance.now() > deadline || signal?.aborted === true) break;
    }
    const p95 = durations.toSorted((a, b) => a - b)[Math.ceil(durations.length * 0.95) - 1];
    return {
      checked: data.length,
      failed: data.length - durations.length,
      p95_ms: p95 === undefined ? null : Number(p95.toFixed(3)),
      data,
    };
  }

  private async seqsOf(
    { event_id: id, events, filter, last }: TransformPreviewQuery,
    signal: RequestSignal | undefined,
  ): Promise<number[]> {
    if (id !== undefined) return [(await this.events.findReadable(id)).seq];
    const { matching } = await this.filters.find({ events, filter, last: MAX_SEARCHED }, signal);
    return matching.slice(0, last).map(({ seq }) => seq);
  }
}
