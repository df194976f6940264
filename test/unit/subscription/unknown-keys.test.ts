import { ActiveKeys } from '../../../src/relay/subscription/active-keys';

const keyOf = (letter: string) => letter.repeat(43);

describe('keys that are not in memory', () => {
  /** In the database, and in memory. */
  let stored: string[];
  let read: string[];
  let reloads: number;
  let keys: ActiveKeys;
  beforeEach(() => {
    jest.useFakeTimers();
    stored = [];
    read = [];
    reloads = 0;
    const listeners: (() => void)[] = [];
    const registrations = {
      onChange: (listener: () => void) => void listeners.push(listener),
      all: () => read.map((key, id) => ({ id, key, secret: '', state: 'active', signatureHeader: 'x' })),
      reload: async () => {
        reloads += 1;
        read = [...stored];
        for (const listener of listeners) listener();
      },
    };
    const leaderLink = { onMessage: () => undefined };
    const parts = [registrations, null, null, null, { isShared: true }, leaderLink, null];
    keys = new ActiveKeys(...(parts as unknown as ConstructorParameters<typeof ActiveKeys>));
  });
  afterEach(() => jest.useRealTimers());

  it('share one read of the database a second, which finds one that was registered meanwhile', async () => {
    expect(await keys.findRegistered(keyOf('a'))).toBeNull();
    const asked = Array.from({ length: 50 }, () => keys.findRegistered(keyOf('b')));
    stored.push(keyOf('b'));
    await jest.advanceTimersByTimeAsync(999);
    expect(reloads).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    for (const one of asked) expect(await one).toMatchObject({ subscriptionId: 0 });
    expect(reloads).toBe(2);
  });

  it('cause none if they cannot be keys', async () => {
    for (const key of ['', 'a', `${keyOf('a')}a`, `${keyOf('a')}/`]) {
      expect(await keys.findRegistered(key)).toBeNull();
      expect(keys.mayBeOfOtherDaemon(key)).toBe(false);
    }
    expect(reloads).toBe(0);
  });
});
