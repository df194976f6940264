import type { Notice } from '../../../src/relay/database/postgres/notices';
import { ApplicationInstance } from '../../../src/relay/several-daemons/application-instance';

let calls: unknown[][];
let instance: ApplicationInstance;

/** An object that records which of its methods are called. */
const recorder = (name: string) =>
  new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...given: unknown[]) =>
          void calls.push([`${name}.${String(method)}`, ...given]),
    },
  );

beforeEach(() => {
  calls = [];
  const app = { get: () => recorder('dispatcher') };
  instance = Object.assign(Object.create(ApplicationInstance.prototype) as ApplicationInstance, {
    application: { app, store: { journal: recorder('journal') } },
    owned: recorder('owned'),
    leaderLink: recorder('leaderLink'),
    forwarder: recorder('forwarder'),
  });
});

it.each<[notice: Notice, read: string[]]>([
  [{ kind: 'events', targets: [1] }, []],
  [{ kind: 'commits', writer: 'one' }, []],
  [{ kind: 'owners' }, ['owned.poll']],
  [{ kind: 'changed', table: 'targets' }, ['owned.poll']],
  [{ kind: 'changed', table: 'subscriptions' }, []],
  [{ kind: 'leader' }, []],
])('what another daemon announces is read at once: %j', (notice, read) => {
  instance.receive(notice);
  expect(calls).toEqual([
    ['leaderLink.receive', notice],
    ['journal.receive', notice],
    ...read.map((call) => [call]),
  ]);
});

it('everything is read again once notices may have been lost', () => {
  instance.readAgain();
  expect(calls).toEqual([['journal.pollAll'], ['owned.poll'], ['dispatcher.readAgain']]);
});

it('messages for the leader, owners, and what an earlier leader has not answered are attended to with each renewal', () => {
  const owned = new Map([[1, 2]]);
  instance.onLeaseRenewed(owned);
  expect(calls).toEqual([
    ['owned.onLeaseRenewed', owned],
    ['forwarder.endOutdated'],
    ['leaderLink.readMessages'],
  ]);
});
