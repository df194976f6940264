import { ChangedDeliveries, DELIVERIES_PER_MESSAGE } from '../../../src/relay/live/changed-deliveries';

const key = (seq: number) => ({ seq, target: 1, n: 0 });

describe('the changed deliveries', () => {
  it('contain each delivery once, in the order of the latest changes', () => {
    const changed = new ChangedDeliveries();
    for (const seq of [1, 2, 1]) changed.add(key(seq));
    expect(changed.take()).toEqual({ keys: [key(2), key(1)], isComplete: true });
    expect(changed.isEmpty).toBe(true);
  });

  it('are the latest if more changed than fit in a message, which says so once', () => {
    const changed = new ChangedDeliveries();
    for (let seq = 1; seq <= DELIVERIES_PER_MESSAGE + 1; seq += 1) changed.add(key(seq));
    const { keys, isComplete } = changed.take();
    expect(keys).toHaveLength(DELIVERIES_PER_MESSAGE);
    expect(keys[0]).toEqual(key(2));
    expect(isComplete).toBe(false);
    changed.add(key(1));
    expect(changed.take().isComplete).toBe(true);
  });

  it('are to be told although none is known, if others have changed', () => {
    const changed = new ChangedDeliveries();
    changed.addUnknown();
    expect(changed.isEmpty).toBe(false);
    expect(changed.take()).toEqual({ keys: [], isComplete: false });
  });
});
