import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_QUEUED_BODY_BYTES } from '../../src/relay/database/journal/deliverable-event';
import type { Committed } from '../../src/relay/database/journal/journal';
import { DispatchWorker } from '../../src/relay/deliveries/queue/dispatch.worker';
import { InFlightOfOthers } from '../../src/relay/deliveries/queue/in-flight-of-others';
import { LeaderLink } from '../../src/relay/ground/leader-link';
import { FixedClock } from './clock';
import { ONLY_DAEMON } from './only-daemon';
import { QUEUE_TOOLS, TARGET } from './queue-tools';

/** Lets everything run that waits for no timer. */
export const settle = async () => {
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
};

/** A dispatcher for one target. @returns it, what publishes a commit, and that of an event for the target */
export function startDispatcher({
  isShared = false,
  journal = {} as object,
  clock = new FixedClock(0),
  settled = async () => undefined as void,
}) {
  const listeners: ((committed: Committed) => void)[] = [];
  const { guard, sending, listeners: links, breakers, bounds } = QUEUE_TOOLS;
  const leaderLink = new LeaderLink();
  const onCommit = (listener: (typeof listeners)[number]) => listeners.push(listener);
  const eventListeners: ((targets: number[]) => void)[] = [];
  const tools = {
    targets: { onChange: () => undefined, all: () => [TARGET], byNumber: () => TARGET, settled },
    leadership: { isShared },
    ownership: ONLY_DAEMON.ownership,
    ofOthers: new InFlightOfOthers({ onCommit } as never, leaderLink, clock),
    journal: {
      onCommit,
      onEventsFromOtherDaemon: (listener: (targets: number[]) => void) => eventListeners.push(listener),
      takeDue: async () => [],
      findDue: async () => [],
      // Its attempts do not end.
      readEvent: () => new Promise(() => undefined),
      ...journal,
    },
    guard,
    sending,
    links,
    breakers,
    clock,
    bounds,
    random: {},
    tracer: {},
    publicAddress: {},
    transformer: {},
    log: { error: () => undefined },
  };
  const parts = Object.values(tools) as unknown as ConstructorParameters<typeof DispatchWorker>;
  const dispatcher = new DispatchWorker(...parts);
  const commit = (committed: object) => {
    for (const listener of listeners)
      listener({
        events: [],
        scheduled: [],
        results: [],
        promoted: [],
        erased: [],
        ended: [],
        ...committed,
      } as unknown as Committed);
  };
  const announceEvents = (targets: number[]) => eventListeners[0]!(targets);
  /** Its attempt reads it, because its body is large. */
  const draft = { receivedAt: 0, body: Buffer.alloc(MAX_QUEUED_BODY_BYTES + 1) };
  const store = (seq: number, maybeSent?: true) =>
    commit({ events: [{ seq, draft, planned: [{ target: 1, lane: null }], maybeSent }] });
  dispatcher.onListening();
  return { dispatcher, commit, store, leaderLink, announceEvents };
}
