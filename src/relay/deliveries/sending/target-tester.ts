import { Injectable } from '@nestjs/common';
import { EVENT_TYPES } from '../../../protocol/event-types';
import type { TargetTest } from '../../../contract/target-test';
import type {
  MessagePreview,
  MessagePreviewQuery,
  TargetSample,
  TestOutcome,
} from '../../../contract/target-test';
import { Clock } from '../../ground/clock';
import { Journal, type DeliverableEvent } from '../../database/journal/journal';
import { deliveryId, eventId, traceId } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { Random } from '../../ground/random';
import { PublicAddress } from '../../settings/public-address';
import { writeJson } from '../../ground/parse-body';
import { AddressGuard } from '../../targets/address-guard';
import { isOtherOrigin } from '../../targets/drop-secrets';
import { ROUTING_KEY_HEADER } from '../../targets/sealed-parameters';
import { resolveSettings } from '../../targets/resolve-settings';
import { secretsOf, type TargetRecord, type TargetSettings } from '../../targets/target-record';
import { TargetsService } from '../../targets/targets.service';
import { formatMessage } from '../messages/format-message';
import { readContent } from '../messages/message-content';
import { sampleAlert, type AlertState } from '../messages/sample-alert';
import { deliveryHeaders } from './delivery-headers';
import { ListenerLinks } from '../listeners/listener-links';
import { SendingThread } from './sending-thread';
import { failedOutcome, transformFailedOutcome, type AttemptOutcome } from './attempt-outcome';
import type { TransformFailure } from '../../../contract/transform';
import { EventTransformer } from '../../transforms/event-transformer';
import { transformUnavailable } from '../../transforms/transform-unavailable';
import { transformEvent } from './transform-event';
import { TargetSender } from './target-sender';

/** Keys that no stored event and no stored target has, from which well-formed ids are computed. */
const NO_SEQ = 0;
const NO_TARGET = 0;

const SECRET_BYTES = 32;

/** The parts of a target that a test depends on. */
type TestedSettings = Pick<
  TargetRecord,
  | 'number'
  | 'name'
  | 'url'
  | 'format'
  | 'policy'
  | 'headers'
  | 'tls'
  | 'signature'
  | 'ed25519'
  | 'transform'
  | 'transformVersion'
  | 'signingKey'
  | 'previousSigningKey'
>;

/** What is sent of a stored event, and the version of the expression that made its body. */
export type TestedEvent = Pick<DeliverableEvent, 'type' | 'contentType' | 'body'> & {
  transform?: number | null;
};

/** Sends one sample to a target, as an event or as a message, and returns the outcome; nothing is stored. */
@Injectable()
export class TargetTester {
  constructor(
    private readonly targets: TargetsService,
    readonly guard: AddressGuard,
    readonly sending: SendingThread,
    readonly listeners: ListenerLinks,
    private readonly publicAddress: PublicAddress,
    private readonly journal: Journal,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly transformer: EventTransformer,
  ) {}

  /** Tests a saved target. @throws RelayError as `reachable` */
  test(id: string, event?: TestedEvent): Promise<TestOutcome> {
    return this.send(this.reachable(id), event);
  }

  /** A saved target that can be sent something now. @throws RelayError `target_unknown`, 404; `listener_offline`, 409 */
  reachable(id: string): TargetRecord {
    const target = this.targets.byId(id);
    if (!this.listeners.isOffline(target)) return target;
    throw new RelayError('listener_offline', 409, `No process takes the events of ${target.name}.`, {
      remedy: 'Start it with "switchboard listen", or the receiver that it forwards them to.',
    });
  }

  /** A notification with this type and data, or this body. */
  sampleOf({ type = SAMPLE_EVENT.type, data, raw }: Omit<TargetSample, 'event_id'>): TestedEvent {
    const timestamp = new Date(this.clock.now()).toISOString();
    const body =
      raw ??
      writeJson({
        event: type,
        timestamp,
        webhook_id: 'wh_0',
        data: data === undefined ? sampleDeal(timestamp) : data,
      });
    return { type, contentType: SAMPLE_EVENT.contentType, body: Buffer.from(body) };
  }

  /**
   * Tests settings that are not saved.
   * @param event what to send, unless it is a message, instead of the sample, under the sample's id: a receiver that
   *   remembers ids would otherwise ignore the event itself later
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
      'url' | 'format' | 'policy' | 'headers' | 'tls' | 'transform'
    >;
    const { url } = wanted;
    await this.guard.assertAllowed(url);
    const unsaved = {
      number: NO_TARGET,
      name: '',
      signature: null,
      ed25519: false,
      transform: null,
      transformVersion: 0,
      signingKey: this.random.bytes(SECRET_BYTES),
      previousSigningKey: null,
    };
    const isSameOrigin = saved !== null && !isOtherOrigin(saved.url, url);
    return this.send({ ...(isSameOrigin ? saved : unsaved), ...settings }, event);
  }

  /** The message that a target with this format would be sent. */
  previewMessage({ format, state }: MessagePreviewQuery): MessagePreview {
    const now = this.clock.now();
    const sampleId = eventId(now, NO_SEQ, this.journal.instanceId);
    return this.messageTo({ format, headers: MASKED_HEADERS }, sampleId, sampleAlert(state, now), now)!;
  }

  private async send(target: TestedSettings, event?: TestedEvent): Promise<TestOutcome> {
    const outcome = await this.sendSample(target, 'raised', event);
    // Otherwise its incident would stay open.
    return target.format === 'pagerduty' && outcome.delivered ? this.sendSample(target, 'resolved') : outcome;
  }

  private async sendSample(
    target: TestedSettings,
    state: AlertState,
    event?: TestedEvent,
  ): Promise<TestOutcome> {
    const now = this.clock.now();
    const sampleId = eventId(now, NO_SEQ, this.journal.instanceId);
    const message = this.messageTo(target, sampleId, sampleAlert(state, now), now);
    const { event: sent, failure } = await this.transformed(target, event ?? this.sampleOf({}), now);
    const body = message === null ? sent.body : Buffer.from(message.body);
    const headers = this.headersOf({ ...sent, body }, target, { now });
    const outcome = failure
      ? transformFailedOutcome(failure)
      : await this.request(target, { ...headers, ...message?.headers }, body);
    return {
      delivered: outcome.error === null,
      status: outcome.status,
      error: outcome.error,
      duration_ms: outcome.durationMs,
      excerpt: outcome.excerpt,
    };
  }

  /** What the expression of a target makes of an event, if it has one. @throws RelayError `transform_unavailable`, 503 */
  async transformed(
    target: TestedSettings,
    event: TestedEvent,
    now: number,
  ): Promise<{ event: TestedEvent; failure: TransformFailure | null }> {
    const sample = { ...SAMPLE_EVENT, receivedAt: now, ...event };
    const made = await transformEvent(sample, () => ({ ...target, number: NO_TARGET }), this.transformer);
    if (made === null) throw transformUnavailable();
    return { event: { ...made.event, transform: made.version }, failure: made.failure };
  }

  /**
   * The headers of a request that is stored nowhere.
   * @param now of the ids, in ms since 1970
   * @param at of the signatures, in ms since 1970
   * @param n tells requests apart that have the same `now`
   */
  headersOf(
    event: TestedEvent,
    target: TestedSettings,
    { now, at = now, n = 0, attempt = 1 }: { now: number; at?: number; n?: number; attempt?: number },
  ): Record<string, string> {
    const { instanceId } = this.journal;
    return deliveryHeaders(
      { ...SAMPLE_EVENT, ...event, receivedAt: now },
      {
        eventId: eventId(now + n, NO_SEQ, instanceId),
        deliveryId: deliveryId({ seq: NO_SEQ, target: target.number, n }, instanceId),
        traceId: traceId(now, NO_SEQ, instanceId),
        spanId: this.random.bytes(8).toString('hex'),
        sampled: true,
        attempt,
        trigger: 'test',
        replayId: null,
        edited: false,
        repairId: null,
        gaps: [],
        transform: event.transform ?? null,
      },
      target,
      at,
    );
  }

  /** Makes one request, on a connection of its own. */
  async request(
    target: TestedSettings,
    headers: Record<string, string>,
    body: Uint8Array,
  ): Promise<AttemptOutcome> {
    const sender = new TargetSender(target, this);
    const started = performance.now();
    try {
      return (await sender.send(headers, body, secretsOf(target))) ?? failedOutcome('network', started);
    } finally {
      await sender.close();
    }
  }

  /** @returns null if the target receives events as they are stored */
  private messageTo(
    target: Pick<TargetRecord, 'format' | 'headers'>,
    id: string,
    event: { type: string; body: Uint8Array },
    receivedAt: number,
  ) {
    return formatMessage(target, () => readContent({ ...event, id, receivedAt }, this.publicAddress.url));
  }
}

/** In a preview, in place of the secrets of a target. */
const MASKED_HEADERS = [{ name: ROUTING_KEY_HEADER, value: '***', secret: true }];

const SAMPLE_EVENT = {
  seq: NO_SEQ,
  type: EVENT_TYPES[0],
  entity: null,
  contentType: 'application/json',
  signatureHeader: '',
  signatureValue: '',
};

/** In the document's form (6.2), with a name that says that it is a test. */
const sampleDeal = (timestamp: string) => ({
  id: 0,
  name: 'Test from Switchboard',
  status_id: 0,
  pipeline_id: 0,
  responsible_user_id: 0,
  created_at: timestamp,
  updated_at: timestamp,
  _links: { self: 'https://example.invalid/v1/deals/0' },
});
