import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '../../../protocol/event-types';
import type { TargetTrial, TestOutcome } from '../../../contract/target';
import { Clock } from '../../ground/clock';
import { Journal } from '../../database/journal';
import { deliveryId, eventId, traceId } from '../../ground/ids';
import { Random } from '../../ground/random';
import { AddressGuard } from '../../targets/address-guard';
import { isOtherOrigin } from '../../targets/resolve-origin';
import { resolveSettings } from '../../targets/resolve-settings';
import { secretsOf, type TargetRecord, type TargetSettings } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { deliveryHeaders } from './delivery-headers';
import { TargetSender } from './send-attempt';

/** The ids of a sample are well formed and belong to no stored event, nor to a target that is not there yet. */
const NO_SEQ = 0;
const NO_TARGET = 0;

const SECRET_BYTES = 32;

/** What of a target a sample depends on. */
type Tested = Pick<
  TargetRecord,
  'number' | 'url' | 'policy' | 'headers' | 'tls' | 'signingKey' | 'signingKeyBefore'
>;

/** Sends one signed sample to a target and tells at once what became of it; nothing is stored. */
@Injectable()
export class TargetProbe {
  constructor(
    private readonly targets: TargetsService,
    private readonly guard: AddressGuard,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** @throws RelayError `target_unknown`, 404 */
  async test(id: string): Promise<TestOutcome> {
    return this.send(this.targets.byId(id));
  }

  /**
   * Tests an address with settings that are not saved.
   * @throws RelayError as the creation of a target does; `target_unknown`, 404
   */
  async try({ target_id: id, ...wanted }: TargetTrial): Promise<TestOutcome> {
    const known = id === undefined ? null : this.targets.byId(id);
    // Another origin is tried with a signing secret that nobody knows, as a target that is not there yet.
    const settings = resolveSettings({ ...wanted, new_secret: true }, known) as Pick<
      TargetSettings,
      'url' | 'policy' | 'headers' | 'tls'
    >;
    await this.guard.assertAllowed(settings.url);
    const unknown = {
      number: NO_TARGET,
      signingKey: this.random.bytes(SECRET_BYTES),
      signingKeyBefore: null,
    };
    const stays = known !== null && !isOtherOrigin(known.url, settings.url);
    return this.send({ ...(stays ? known : unknown), ...settings });
  }

  private async send(target: Tested): Promise<TestOutcome> {
    const { instanceId } = this.journal;
    const now = this.clock.now();
    const sampleId = eventId(now, NO_SEQ, instanceId);
    const body = sample(new Date(now).toISOString());
    const headers = deliveryHeaders(
      { ...NOTHING_STORED, receivedAt: now, body },
      {
        eventId: sampleId,
        deliveryId: deliveryId({ seq: NO_SEQ, target: target.number, n: 0 }, instanceId),
        traceId: traceId(now, NO_SEQ, instanceId),
        spanId: this.random.bytes(8).toString('hex'),
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

const NOTHING_STORED = {
  seq: NO_SEQ,
  type: EVENT_TYPES[0],
  entity: null,
  contentType: 'application/json',
  signatureHeader: '',
  signatureValue: '',
};

/** A notification of the document's form (6.2) that says what it is. */
function sample(timestamp: string): Buffer {
  const deal = { id: 0, name: 'Test from Switchboard', status_id: 0, pipeline_id: 0, responsible_user_id: 0 };
  const data = {
    ...deal,
    created_at: timestamp,
    updated_at: timestamp,
    _links: { self: 'https://example.invalid/v1/deals/0' },
  };
  return Buffer.from(JSON.stringify({ event: NOTHING_STORED.type, timestamp, webhook_id: 'wh_0', data }));
}
