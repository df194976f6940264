import type { Drift } from '../../contract/subscription';

const FIELDS: Record<Exclude<Drift['field'], 'webhook' | 'webhook_id'>, string> = {
  events: 'list of events',
  active: 'active flag',
  signature_header: 'signature header',
  url: 'address',
};

const OUTCOMES: Record<Drift['outcome'], string> = {
  repaired: 'Switchboard restored it.',
  accepted: 'Switchboard accepts it from now on.',
  kept: 'Co-Pilot did not accept the correction.',
};

/** A difference that reconciliation found at Co-Pilot, in words. */
export function describeDrift({
  field,
  before,
  after,
  outcome,
}: Pick<Drift, 'field' | 'before' | 'after' | 'outcome'>): string {
  if (field === 'webhook_id')
    return `Signed notifications contain the webhook id ${after}, while Co-Pilot's API reports ${before}.`;
  if (field === 'webhook') {
    const id = before === 'registered' ? '' : ` ${before}`;
    return `The webhook${id} was deleted at Co-Pilot. Switchboard registers a new one.`;
  }
  return `The webhook's ${FIELDS[field]} changed at Co-Pilot from ${before} to ${after}. ${OUTCOMES[outcome]}`;
}
