import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { RecheckOutcome } from '../../contract/rejection';
import { EventsService } from '../events/events.service';
import { RelayError } from '../ground/relay-error';
import { ActiveKeys } from '../subscription/active-keys';
import { draftEvent } from './draft-event';
import { rejectionUnknown } from './find-rejections.query';
import { QuarantineStore, type QuarantinedNotification } from './quarantine.store';
import { verifySignature, type Verified } from './verify-signature';

const SENTENCES: Readonly<Record<RecheckOutcome['outcome'], string>> = {
  accepted: 'The signature matches now: it was stored as an event with the time of its first arrival.',
  duplicate:
    'The signature matches now, but the same notification is already stored: it was counted as a duplicate.',
  still_rejected:
    'No signature in its headers matches its body with any of our secrets. It stays in quarantine.',
};

/**
 * Verifies a quarantined notification again, and stores it if the signature is valid now. Two things may have
 * changed: a recheck tries the secrets of all our webhooks, not only of the one in the path, and the signature header
 * may be known meanwhile, by the setting or from a later notification.
 */
@Injectable()
export class RecheckService {
  private readonly running = new Map<string, Promise<RecheckOutcome>>();

  constructor(
    private readonly quarantine: QuarantineStore,
    private readonly keys: ActiveKeys,
    private readonly events: EventsService,
  ) {}

  /** Concurrent calls for an id share one run. @throws RelayError `rejection_unknown`, 404; `not_stored`, 503 */
  recheck(id: string): Promise<RecheckOutcome> {
    const run = this.running.get(id) ?? this.check(id).finally(() => this.running.delete(id));
    this.running.set(id, run);
    return run;
  }

  private async check(id: string): Promise<RecheckOutcome> {
    const found = await this.quarantine.find(id);
    if (found === null) throw rejectionUnknown(id);
    const verified = this.verify(found);
    if (verified === null) return outcomeOf('still_rejected', null);
    const { draft, content } = draftEvent(found, verified);
    const outcome = await this.events.record(draft, content);
    if (outcome.status === 'not_stored') {
      const detail = 'The notification could not be stored; it stays in quarantine.';
      const remedy = 'Try again once the database can be written.';
      throw new RelayError('not_stored', 503, detail, { remedy, cause: outcome.cause });
    }
    // Removed only after the event is stored: after a crash in between, the next recheck finds a duplicate.
    await this.quarantine.remove(id);
    return outcomeOf(outcome.status, outcome.id);
  }

  private verify({ body, headers, subscriptionId }: QuarantinedNotification): Verified | null {
    const byName = joinByName(headers);
    for (const { secret, signatureHeader } of this.keys.verificationKeys(subscriptionId)) {
      const verified = verifySignature(body, secret, byName, signatureHeader);
      if (typeof verified !== 'string') return verified;
    }
    return null;
  }
}

function outcomeOf(outcome: RecheckOutcome['outcome'], eventId: string | null): RecheckOutcome {
  return { outcome, event_id: eventId, sentence: SENTENCES[outcome] };
}

function joinByName(headers: readonly [string, string][]): IncomingHttpHeaders {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) byName[name] = name in byName ? `${byName[name]}, ${value}` : value;
  return byName;
}
