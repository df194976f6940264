import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { RecheckOutcome } from '../../contract/rejection';
import { EventsService } from '../events/events.service';
import { RelayError } from '../ground/relay-error';
import { SubscriptionService } from '../subscription/subscription.service';
import { draftEvent } from './draft-event';
import { rejectionUnknown } from './find-rejections';
import { Quarantine, type Quarantined } from './quarantine';
import { verifySignature, type Verified } from './verify-signature';

const SENTENCES: Readonly<Record<RecheckOutcome['outcome'], string>> = {
  accepted: 'Its signature fits now: it was stored as an event, with the time of its first arrival.',
  duplicate: 'Its signature fits now, but the same notification is stored already: it was counted there.',
  still_rejected:
    'No signature in its headers fits its bytes under any secret of ours. It stays where it is.',
};

/** Takes a quarantined notification in after a secret or a header was set right, on the road of every other one. */
@Injectable()
export class Recheck {
  private readonly underWay = new Map<string, Promise<RecheckOutcome>>();

  constructor(
    private readonly quarantine: Quarantine,
    private readonly subscription: SubscriptionService,
    private readonly events: EventsService,
  ) {}

  /**
   * Who asks for the same at the same time gets the same answer.
   * @throws RelayError `rejection_unknown`, 404; `not_stored`, 503
   */
  recheck(id: string): Promise<RecheckOutcome> {
    const asked = this.underWay.get(id) ?? this.check(id).finally(() => this.underWay.delete(id));
    this.underWay.set(id, asked);
    return asked;
  }

  private async check(id: string): Promise<RecheckOutcome> {
    const found = await this.quarantine.find(id);
    if (found === null) throw rejectionUnknown(id);
    const verified = this.verify(found);
    if (verified === null) return answer('still_rejected', null);
    const { draft, content } = draftEvent(found, verified);
    const outcome = await this.events.record(draft, content);
    if (outcome.status === 'refused') {
      throw new RelayError('not_stored', 503, 'The notification could not be stored; it stays where it is.', {
        remedy: 'Try again once the database can be written.',
        cause: outcome.cause,
      });
    }
    // Behind the event, not before it: after a crash in between, the next look finds a duplicate and ends here too.
    await this.quarantine.remove(id);
    return answer(outcome.status, outcome.id);
  }

  private verify({ body, headers, subscriptionId }: Quarantined): Verified | null {
    const byName = joinByName(headers);
    for (const { secret, signatureHeader } of this.subscription.toVerify(subscriptionId)) {
      const verified = verifySignature(body, secret, byName, signatureHeader);
      if (typeof verified !== 'string') return verified;
    }
    return null;
  }
}

function answer(outcome: RecheckOutcome['outcome'], eventId: string | null): RecheckOutcome {
  return { outcome, event_id: eventId, sentence: SENTENCES[outcome] };
}

function joinByName(headers: readonly [string, string][]): IncomingHttpHeaders {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) byName[name] = name in byName ? `${byName[name]}, ${value}` : value;
  return byName;
}
