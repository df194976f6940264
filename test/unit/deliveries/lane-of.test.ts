import { describeLane, laneOf } from '../../../src/relay/deliveries/queue/lane-of';

describe('the lane of an event', () => {
  it('is null if the target has no ordering', () => {
    expect(laneOf('none', 'deal:1')).toBeNull();
  });

  it('is its entity with ordering by entity, or null without an entity', () => {
    expect(laneOf('entity', 'deal:1')).toBe('deal:1');
    expect(laneOf('entity', 'deal:1')).not.toBe(laneOf('entity', 'contact:1'));
    expect(laneOf('entity', null)).toBeNull();
  });

  it('is the same for all events with strict ordering', () => {
    expect(laneOf('strict', 'deal:1')).toBe(laneOf('strict', null));
  });

  it('is separate for each replay', () => {
    const lanes = [null, 'rpl_1', 'rpl_2'].map((replay) => laneOf('entity', 'deal:1', replay));
    expect(new Set(lanes).size).toBe(3);
    expect(laneOf('entity', null, 'rpl_1')).toBeNull();
    expect(laneOf('strict', null, 'rpl_1')).toBe('rpl_1/*');
  });

  it('is described by its events', () => {
    expect(describeLane('deal:1/2')).toBe('the lane of deal:1/2');
    expect(describeLane(laneOf('strict', null)!)).toBe('the lane of all events');
    expect(describeLane(laneOf('strict', null, 'rpl_1')!)).toBe('the lane of all events in its replay');
  });
});
