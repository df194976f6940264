import { OwnedQueues } from '../../../src/relay/several-daemons/ownership/owned-queues';
import { settle, startDispatcher } from '../../support/dispatcher';
import { TARGET } from '../../support/queue-tools';

type Parts = ConstructorParameters<typeof OwnedQueues>;

const { number } = TARGET;

/** A dispatcher that delivers to a target while this daemon owns it. */
function startOwner(startParts: Omit<Parameters<typeof startDispatcher>[0], 'isShared'>) {
  const owner = {
    state: 'owned' as 'owned' | 'leaving' | 'lost',
    released: [] as number[],
    breakersRead: 0,
    failure: null as Error | null,
  };
  const listeners: (() => void)[] = [];
  const { dispatcher, ...started } = startDispatcher({ isShared: true, ...startParts });
  const parts = {
    owned: {
      owns: () => owner.state !== 'lost',
      isLeaving: () => owner.state === 'leaving',
      release: async (target: number) => void owner.released.push(target),
      onChange: (listener: () => void) => listeners.push(listener),
      stop: async () => undefined,
    },
    dispatcher,
    targets: { onChange: () => undefined, all: () => [TARGET] },
    breakers: {
      read: async () => {
        owner.breakersRead += 1;
        if (owner.failure !== null) throw owner.failure;
      },
    },
    log: { warn: () => undefined },
  };
  const queues = new OwnedQueues(...(Object.values(parts) as unknown as Parts));
  const become = async (state: typeof owner.state) => {
    owner.state = state;
    for (const listener of listeners) listener();
    await settle();
  };
  return { owner, dispatcher, queues, parts, become, ...started };
}

describe('a target that is to be released', () => {
  let endRead: () => void;
  let started: ReturnType<typeof startOwner>;

  beforeEach(async () => {
    started = startOwner({
      journal: { readEvent: () => new Promise((resolve) => (endRead = () => resolve(null))) },
    });
    await started.become('owned');
    started.store(1);
    expect(started.dispatcher.keysInFlight()).toHaveLength(1);
  });

  it('is released once, when nothing of it is in flight any more', async () => {
    const { become, owner } = started;
    await become('leaving');
    await become('leaving');
    expect(owner.released).toEqual([]);
    endRead();
    await settle();
    expect(owner.released).toEqual([number]);
  });

  it('is not released by the end of what was in flight before it was lost and taken again', async () => {
    const { become, owner } = started;
    await become('leaving');
    await become('lost');
    await become('owned');
    endRead();
    await settle();
    expect(owner.released).toEqual([]);
  });

  it('is released at the stop, when nothing of it is in flight any more', async () => {
    const { queues, owner } = started;
    const stopped = queues.stop();
    await settle();
    expect(owner.released).toEqual([]);
    endRead();
    await stopped;
    expect(owner.released).toEqual([number]);
  });
});

it('an owned target is delivered to once its breaker is read, which the former owner may have changed', async () => {
  const { owner, become, dispatcher } = startOwner({});
  owner.failure = new Error('the server is away');
  await become('owned');
  expect(dispatcher.opened).toEqual([]);
  owner.failure = null;
  await become('owned');
  expect(dispatcher.opened).toEqual([number]);
  expect(owner.breakersRead).toBe(2);
});

it('the leader disables a target that has responded with 410 to its owner, unless it was changed since', () => {
  const { parts, leaderLink } = startOwner({});
  const disabled: string[] = [];
  const target = { id: 'tgt_1', updatedAt: 2 };
  const others = {
    ...parts,
    targets: { onChange: () => undefined, all: () => [target] },
    dispatcher: { disable: (id: string) => disabled.push(id) },
  };
  const queues = new OwnedQueues(...(Object.values(others) as unknown as Parts));
  queues.applyReports({ onTableChanged: () => undefined } as never, leaderLink);
  leaderLink.send({ kind: 'gone', target: 'tgt_1', updatedAt: 1, reason: 'gone' });
  expect(disabled).toEqual([]);
  leaderLink.send({ kind: 'gone', target: 'tgt_1', updatedAt: 2, reason: 'gone' });
  expect(disabled).toEqual(['tgt_1']);
});
