import type { Ledger, LedgerFinding, LedgerRule } from '../../../contract/ledger';
import {
  parseInstanceId,
  SELECT_INSTANCE,
  type InstanceRecord,
} from '../../database/journal/instance-record';
import { deliveryId, eventId, type DeliveryKey } from '../../ground/ids';

/** Runs a query; other work may run between two calls. */
export type Read = <Row>(statement: [sql: string, parameters: unknown[]]) => Promise<Row[]>;

/** Names records in findings, by the ids that the API uses and the numbers that the database uses. */
export interface Names {
  event(seq: number, receivedAt: number): string;
  delivery(key: DeliveryKey): string;
  target(number: number): string;
}

/** How many findings of a rule are listed; the rest is counted. */
const MAX_LISTED_PER_RULE = 50;

const HARMLESS = 'Harmless: nothing is sent or lost because of it, and retention may remove it later.';

/** What to do about the findings of each rule. */
const REMEDIES: Record<LedgerRule, string> = {
  event_missing:
    'Check in Co-Pilot what changed in that period, or take the events from a backup: they are lost here.',
  event_unplanned:
    'Replay the event to the target that lacks it: POST /api/v1/events/<id>/replay with its target_ids.',
  delivery_state:
    'Retry it (POST /api/v1/deliveries/<id>/retry), which creates a new delivery, then discard this one if it is still queued.',
  delivery_attempts: 'Sending is not affected, but the number of attempts left may be wrong.',
  delivery_orphan: HARMLESS,
  attempt_orphan: HARMLESS,
  duplicate_orphan: HARMLESS,
  identity_orphan:
    'Its event is gone: see event_missing. If the notification is sent again, it is stored as a new event.',
  dead_letters:
    'Only a count is wrong; GET /api/v1/dead-letters lists the actual dead letters. Report it as a bug in Switchboard.',
  lane_heads:
    'Retry the first delivery of the lane (POST /api/v1/deliveries/<id>/retry), then discard it (…/discard): the next one then moves to the head.',
  payload_schemas:
    'Deliveries are not affected. DELETE /api/v1/types/<type> lets the schema be learned anew.',
  router_position:
    'Targets whose filter compares with the state before receive nothing until as many events are stored. Report it as a bug in Switchboard.',
  entity_floor:
    'Deliveries are not affected, but states as of an earlier time may be wrong. Report it as a bug in Switchboard.',
  delivery_stuck:
    'Restart the daemon, which loads all due deliveries. If the delivery is still stuck, retry it and discard this one.',
};

/** The findings of a consistency check. */
export class Findings {
  private readonly listedFindings: LedgerFinding[] = [];
  private readonly countByRule = new Map<LedgerRule, number>();
  private count = 0;

  private constructor(readonly names: Names) {}

  static async create(read: Read): Promise<Findings> {
    return new Findings(await readNames(read));
  }

  add(rule: LedgerRule, sentence: string): void {
    const known = this.countByRule.get(rule) ?? 0;
    this.countByRule.set(rule, known + 1);
    this.count += 1;
    if (known < MAX_LISTED_PER_RULE) this.listedFindings.push({ rule, sentence, remedy: REMEDIES[rule] });
  }

  /** @param at ms since 1970 */
  report(checked: Ledger['checked'], at: number): Ledger {
    const { count, listedFindings: listed } = this;
    const checkedAt = new Date(at).toISOString();
    return { checked_at: checkedAt, balanced: count === 0, checked, found: count, findings: listed };
  }
}

async function readNames(read: Read): Promise<Names> {
  const [record] = await read<InstanceRecord>([SELECT_INSTANCE, []]);
  const instance = parseInstanceId(record!);
  const rows = await read<{ number: number; name: string }>(['SELECT number, name FROM targets', []]);
  const targets = new Map(rows.map(({ number, name }) => [number, name]));
  const target = (number: number) => {
    const name = targets.get(number);
    return name === undefined ? `target ${number}` : `"${name}"`;
  };
  return {
    target,
    event: (seq, receivedAt) => `Event ${seq} (${eventId(receivedAt, seq, instance)})`,
    delivery: (key) =>
      `Delivery ${key.n} of event ${key.seq} to ${target(key.target)} (${deliveryId(key, instance)})`,
  };
}
