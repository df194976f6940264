import type { TargetPolicy } from '../../../src/contract/target-policy';
import { readGapMark } from '../../../src/relay/deliveries/sending/gap-mark';
import { eventMatcher } from '../../../src/relay/targets/match-event';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const target = (events: string[], ordering: TargetPolicy['ordering'] = 'entity', format = 'json') =>
  ({ number: 1, format, policy: { ordering }, accepts: eventMatcher(events) }) as unknown as TargetRecord;

/** With gap events of that many outages. */
const journalWith = (outages: number) => ({
  readGapsBefore: async () =>
    Array.from({ length: outages }, (_, n) => Buffer.from(`{"data":{"outage_id":"out_${n + 1}"}}`)),
});

const deal = { seq: 9, entity: 'deal:1' };
const asking = target(['deal.*', 'relay.gap']);

describe('the mark of gaps', () => {
  it('has up to five outages, of more the first and the last', async () => {
    expect(await readGapMark(deal, asking, journalWith(1))).toEqual(['out_1']);
    expect(await readGapMark(deal, asking, journalWith(5))).toHaveLength(5);
    expect(await readGapMark(deal, asking, journalWith(6))).toEqual(['out_1', 'out_6']);
    expect(await readGapMark(deal, target(['*', 'relay.*'], 'none'), journalWith(1))).toEqual(['out_1']);
  });

  it.each([
    ['does not receive gap events', deal, target(['*'])],
    ['receives everything in one order', deal, target(['*', 'relay.*'], 'strict')],
    ['receives messages', deal, target(['relay.*'], 'entity', 'slack')],
    ['receives an event without entity', { ...deal, entity: null }, asking],
  ])('is not looked up for a target that %s', async (_, event, other) => {
    const journal = { readGapsBefore: () => Promise.reject(new Error('looked up')) };
    expect(await readGapMark(event, other, journal)).toEqual([]);
  });
});
