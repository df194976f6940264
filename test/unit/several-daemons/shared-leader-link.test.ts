import { setImmediate } from 'node:timers/promises';
import type { LeaderMessage } from '../../../src/relay/ground/leader-link';
import { SharedLeaderLink } from '../../../src/relay/several-daemons/shared-leader-link';

const notStored = (count: number): LeaderMessage => ({ kind: 'not_stored', reason: 'storage', count });
const gone = (reason: string): LeaderMessage => ({ kind: 'gone', target: 'tgt_1', updatedAt: 0, reason });

const aSecond = () => jest.advanceTimersByTimeAsync(1_000);

const open = (leads: boolean, records: object) =>
  new SharedLeaderLink({ records } as never, leads ? 1 : null, { forward: async () => undefined });

/** The links of a daemon that does not lead, and of one that does. @returns them, and what each receives */
function openBoth(records: object) {
  const received: unknown[] = [];
  const links = [false, true].map((leads) => {
    const link = open(leads, records);
    link.onMessage((message) => received.push([leads, message]));
    return link;
  });
  return { links, received };
}

it('messages that are announced reach the leader, and no other daemon', async () => {
  const { links, received } = openBoth({ takeMessages: async () => [] });
  for (const link of links) {
    link.receive({ kind: 'told', message: notStored(1) });
    await link.close();
  }
  expect(received).toEqual([[true, notStored(1)]]);
});

it('messages that were left for a leader are read by the one that leads, when they are announced or it leads', async () => {
  const left = [notStored(1)];
  const { links, received } = openBoth({ takeMessages: async () => left.splice(0) });
  const [receiver, leader] = links;
  receiver!.receive({ kind: 'messages' });
  await setImmediate();
  expect(received).toEqual([]);
  leader!.receive({ kind: 'messages' });
  await setImmediate();
  expect(received).toEqual([[true, notStored(1)]]);
  left.push(notStored(2));
  leader!.readMessages();
  await leader!.close();
  expect(received).toHaveLength(2);
  await receiver!.close();
});

it('what the leader sends reaches itself at once', async () => {
  const { links, received } = openBoth({ takeMessages: async () => [] });
  links[1]!.send(() => notStored(1));
  expect(received).toEqual([[true, notStored(1)]]);
  for (const link of links) await link.close();
});

describe('a message to the leader', () => {
  let sent: LeaderMessage[];
  let isServerAway: boolean;
  let onSend: () => void;
  let link: SharedLeaderLink;

  beforeEach(() => {
    jest.useFakeTimers();
    sent = [];
    isServerAway = false;
    onSend = () => undefined;
    const leaveMessage = async (message: LeaderMessage) => {
      onSend();
      if (isServerAway) throw new Error('away');
      sent.push(message);
    };
    link = open(false, { leaveMessage });
  });
  afterEach(async () => {
    await link.close();
    jest.useRealTimers();
  });

  it('arrives in full, also what is counted while the server is away', async () => {
    isServerAway = true;
    link.send(notStored(1));
    await aSecond();
    link.send(notStored(2));
    link.send(notStored(3));
    await aSecond();
    expect(sent).toEqual([]);
    isServerAway = false;
    await aSecond();
    await aSecond();
    expect(sent).toEqual([notStored(1), notStored(2), notStored(3)]);
  });

  it('is the newest about its subject', async () => {
    isServerAway = true;
    link.send(gone('first'), 'target');
    link.send(gone('second'), 'target');
    onSend = () => link.send(gone('third'), 'target');
    await aSecond();
    isServerAway = false;
    onSend = () => undefined;
    await aSecond();
    expect(sent).toEqual([gone('third')]);
  });

  it('is as it is when it is sent, if it is asked for then', async () => {
    let count = 1;
    link.send(() => notStored(count));
    count = 2;
    await aSecond();
    expect(sent).toEqual([notStored(2)]);
  });
});
