import { DiskFailures, type WritingPart } from '../../../src/relay/database/journal/disk-failures';

describe('a part of writing that failed', () => {
  let hasSpace: boolean;
  let asked: number;
  let heard: [WritingPart, string | null][];
  let failures: DiskFailures;
  beforeEach(() => {
    jest.useFakeTimers();
    hasSpace = false;
    asked = 0;
    heard = [];
    failures = new DiskFailures(async () => {
      asked += 1;
      return hasSpace;
    });
    failures.onFailure((...change) => heard.push(change));
  });
  afterEach(() => jest.useRealTimers());

  const succeed = async () => {
    failures.update('commit', null);
    await jest.advanceTimersByTimeAsync(0);
  };

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', '53100'])(
    'for %s works again once there is space for more than a small write',
    async (code) => {
      failures.update('commit', code);
      await succeed();
      expect(failures.isFailing('commit')).toBe(true);
      hasSpace = true;
      await jest.advanceTimersByTimeAsync(1_000);
      await succeed();
      expect(failures.isFailing('commit')).toBe(false);
      expect(heard).toEqual([
        ['commit', code],
        ['commit', null],
      ]);
    },
  );

  it('tries to take the space once a second at most, however many small writes succeed', async () => {
    failures.update('commit', 'SQLITE_FULL');
    for (let writes = 0; writes < 20; writes += 1) await succeed();
    expect(asked).toBe(1);
  });

  it('for another reason than space works again with the first success', async () => {
    failures.update('commit', 'SQLITE_BUSY');
    await succeed();
    expect(heard).toEqual([
      ['commit', 'SQLITE_BUSY'],
      ['commit', null],
    ]);
    expect(asked).toBe(0);
  });
});
