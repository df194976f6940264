import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TransformSettings } from '../../contract/transform';
import { Journal, type DeliverableEvent } from '../database/journal/journal';
import { keyOfDeliveryId } from '../ground/ids';
import { RelayError } from '../ground/relay-error';
import { failureText } from '../transforms/failure-text';
import { EventTransformer } from '../transforms/event-transformer';
import { transformUnavailable } from '../transforms/transform-unavailable';
import { assertNotErased } from './assert-not-erased';
import { DeliveriesService, deliveryUnknown } from './deliveries.service';

/** The version of an expression, and the name that its target had; without it, the present one if it is that. */
const SELECT_TRANSFORM = `SELECT t.format, coalesce(v.name, t.name) AS name, v.expression, v.content_type,
    CASE WHEN t.transform_version = ? THEN t.transform END AS present
  FROM targets t LEFT JOIN target_transforms v ON v.target = t.number AND v.version = ? WHERE t.number = ?`;

interface Row {
  format: string;
  name: string;
  expression: string | null;
  content_type: string | null;
  /** JSON */
  present: string | null;
}

type Body = Pick<DeliverableEvent, 'body' | 'contentType'>;

/** Makes the body again that an attempt has sent: bodies are not stored, but what they are made of is. */
@Injectable()
export class SentBodyQuery {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly transformer: EventTransformer,
  ) {}

  /**
   * @param number of the attempt; by default the last one
   * @throws RelayError `delivery_unknown`, `body_unknown`, 404; `target_not_json`, 409; `event_erased`, 410;
   *   `transform_unavailable`, 503
   */
  async body(id: string, number?: number): Promise<Body> {
    const { attempts, attempt_count: count } = await this.deliveries.get(id);
    const attempt = attempts.find((one) => one.number === (number ?? count));
    if (attempt === undefined) throw bodyUnknown('There is no such attempt.');
    if (attempt.error === 'transform_failed')
      throw bodyUnknown('Nothing was sent, because the expression failed.');
    const { instanceId } = this.journal;
    const key = keyOfDeliveryId(id, instanceId)!;
    await assertNotErased(this.source, key.seq);
    const stored = await this.journal.readEvent(key.seq);
    if (stored === null) throw deliveryUnknown(id);
    const edited = await this.journal.readEditedBody(key);
    const event = edited === null ? stored : { ...stored, body: edited };
    const [row] = await this.source.query<[Row]>(SELECT_TRANSFORM, [
      attempt.transform,
      attempt.transform,
      key.target,
    ]);
    if (row.format !== 'json')
      throw new RelayError('target_not_json', 409, 'The target receives messages, which are not made again.');
    return attempt.transform === null
      ? event
      : this.transformed(event, row, { number: key.target, transformVersion: attempt.transform });
  }

  private async transformed(
    event: DeliverableEvent,
    row: Row,
    of: { number: number; transformVersion: number },
  ): Promise<Body> {
    const { name, expression, content_type: contentType, present } = row;
    const transform =
      expression !== null && contentType !== null
        ? { expression, content_type: contentType }
        : (JSON.parse(present ?? 'null') as TransformSettings | null);
    if (transform === null) throw bodyUnknown('This version of the expression is not stored any more.');
    const { outcome } = await this.transformer.evaluate(transform, event, { name, ...of });
    if (outcome === null) throw transformUnavailable();
    if ('failure' in outcome) throw bodyUnknown(`The expression fails now. ${failureText(outcome.failure)}`);
    return { body: Buffer.from(outcome.body), contentType: transform.content_type };
  }
}

const bodyUnknown = (detail: string) =>
  new RelayError('body_unknown', 404, detail, {
    remedy:
      'GET /api/v1/deliveries/<id> has the attempts, and the version of the expression that each was made with.',
  });
