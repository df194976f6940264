import type { MessageContent } from './message-content';

export type AlertState = MessageContent['state'];

const TYPE = 'relay.test';

/** The event of an alert that only exists for tests and previews. @param at ms since 1970 */
export function sampleAlert(state: AlertState, at: number): { type: string; body: Buffer } {
  const time = new Date(at).toISOString();
  const isOver = state === 'resolved';
  const data = {
    state,
    alert_id: 'alr_test',
    severity: 'warning',
    sentence: isOver ? 'The test from Switchboard is over.' : 'This is a test from Switchboard.',
    remedy: isOver ? null : 'Nothing: alerts arrive here.',
    count: state === 'repeated' ? 120 : 1,
    since: time,
    last_at: time,
  };
  return {
    type: TYPE,
    body: Buffer.from(JSON.stringify({ event: TYPE, timestamp: time, webhook_id: null, data })),
  };
}
