import type { Notice } from '../../../src/relay/database/postgres/notices';
import { followNotices } from '../../../src/relay/several-daemons/follow-notices';

describe('what another daemon announces', () => {
  let calls: unknown[][];
  let announce: (notice: Notice) => void;
  let reconnect: () => void;

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
    const notices = {
      onNotice: (listener: typeof announce) => (announce = listener),
      onReconnect: (listener: typeof reconnect) => (reconnect = listener),
    };
    const running = Object.fromEntries(
      ['daemons', 'journal', 'owned', 'dispatcher'].map((name) => [name, recorder(name)]),
    );
    followNotices(notices, () => running as never, recorder('log') as never);
  });

  it.each<[notice: Notice, polled: unknown[][]]>([
    [{ kind: 'events', targets: [1] }, [['journal.pollEvents']]],
    [{ kind: 'commits', writer: 'one' }, [['journal.pollCommits', 'one']]],
    [{ kind: 'owners' }, [['owned.poll']]],
    [{ kind: 'changed', table: 'targets' }, [['owned.poll']]],
    [{ kind: 'changed', table: 'subscriptions' }, []],
    [{ kind: 'leader' }, []],
  ])('is polled for at once: %j', (notice, polled) => {
    announce(notice);
    expect(calls).toEqual([['daemons.receive', notice], ...polled]);
  });

  it('is polled for everywhere once the connection is restored', () => {
    reconnect();
    expect(calls.map(([name]) => name)).toEqual([
      'daemons.lookAtAll',
      'journal.pollAll',
      'owned.poll',
      'dispatcher.readAgain',
      'log.warn',
    ]);
  });
});
