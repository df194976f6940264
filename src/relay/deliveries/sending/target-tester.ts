import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '../../../protocol/event-types';
import type { TargetTest, TestOutcome } from '../../../contract/target';
import { Clock } from '../../ground/clock';
import { Journal, type DeliverableEvent } from '../../database/journal';
import { deliveryId, eventId, traceId } from '../../ground/ids';
import { Random } from '../../ground/random';
import { AddressGuard } from '../../targets/address-guard';
import { isOtherOrigin } from '../../targets/drop-secrets';
import { resolveSettings } from '../../targets/resolve-settings';
import { secretsOf, type TargetRecord, type TargetSettings } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { deliveryHeaders } from './delivery-headers';
import { TargetSender } from './target-sender';

/** Keys that no stored event and no stored target has, from which well-formed ids are computed. */
const NO_SEQ = 0;
const NO_TARGET = 0;

const SECRET_BYTES = 32;

/** The parts of a target that a test depends on. */
type TestedSettings = Pick<
  TargetRecord,
  'number' | 'url' | 'policy' | 'headers' | 'tls' | 'signingKey' | 'previousSigningKey'
>;

/** What is sent of a stored event. */
type TestedEvent = Pick<DeliverableEvent, 'type' | 'contentType' | 'body'>;

/** Sends one signed sample to a target and returns the outcome; nothing is stored. */
@Injectable()
export class TargetTester {
  constructor(
    private readonly targets: TargetsService,
    private readonly guard: AddressGuard,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Tests a saved target. @throws RelayError `target_unknown`, 404 */
  async test(id: string): Promise<TestOutcome> {
    return this.send(this.targets.byId(id));
  }

  /**
   * Tests settings that are not saved.
   * @param event what to send instead of the sample, under the sample's id: a receiver that remembers ids would
   *   otherwise ignore the event itself later
   * @throws RelayError as the creation of a target does; `target_unknown`, 404
   */
  async testSettings(
    { target_id: id, ...wanted }: Omit<TargetTest, 'event_id'>,
    event?: TestedEvent,
  ): Promise<TestOutcome> {
    const saved = id === undefined ? null : this.targets.byId(id);
    // Another origin gets a random signing secret, as a new target would.
    const settings = resolveSettings({ ...wanted, new_secret: true }, saved) as Pick<
      TargetSettings,
      'url' | 'policy' | 'headers' | 'tls'
    >;
    await this.guard.assertAllowed(settings.url);
    const unsaved = {
      number: NO_TARGET,
      signingKey: this.random.bytes(SECRET_BYTES),
      previousSigningKey: null,
    };
    const isSameOrigin = saved !== null && !isOtherOrigin(saved.url, settings.url);
    return this.send({ ...(isSameOrigin ? saved : unsaved), ...settings }, event);
  }

  private async send(target: TestedSettings, event?: TestedEvent): Promise<TestOutcome> {
    const { instanceId } = this.journal;
    const now = this.clock.now();
    const sampleId = eventId(now, NO_SEQ, instanceId);
    const { type, contentType, body } = event ?? {
      ...SAMPLE_EVENT,
      body: sample(new Date(now).toISOString()),
    };
    const headers = deliveryHeaders(
      { ...SAMPLE_EVENT, type, contentType, receivedAt: now, body },
      {
        eventId: sampleId,
        deliveryId: deliveryId({ seq: NO_SEQ, target: target.number, n: 0 }, instanceId),
        traceId: traceId(now, NO_SEQ, instanceId),
        spanId: this.random.bytes(8).toString('hex'),
        sampled: true,
        attempt: 1,
        trigger: 'test',
        replayId: null,
        edited: false,
      },
      target,
      now,
    );
    const sender = new TargetSender(target, this.guard);
    try {
      const outcome = (await sender.send(headers, body, secretsOf(target)))!;
      return {
        delivered: outcome.error === null,
        status: outcome.status,
        error: outcome.error,
        duration_ms: outcome.durationMs,
        excerpt: outcome.excerpt,
      };
    } finally {
      await sender.close();
    }
  }
}

const SAMPLE_EVENT = {
  seq: NO_SEQ,
  type: EVENT_TYPES[0],
  entity: null,
  contentType: 'application/json',
  signatureHeader: '',
  signatureValue: '',
};

/** A notification in the document's form (6.2) whose name says that it is a test. */
function sample(timestamp: string): Buffer {
  const deal = { id: 0, name: 'Test from Switchboard', status_id: 0, pipeline_id: 0, responsible_user_id: 0 };
  const data = {
    ...deal,
    created_at: timestamp,
    updated_at: timestamp,
    _links: { self: 'https://example.invalid/v1/deals/0' },
  };
  return Buffer.from(JSON.stringify({ event: SAMPLE_EVENT.type, timestamp, webhook_id: 'wh_0', data }));
}
