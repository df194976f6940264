import type { RequestSignal } from '../../../src/relay/database/reading/reader';
import { ScratchJournal } from '../../support/daemon/scratch-journal';

let scratch: ScratchJournal;

beforeEach(async () => {
  scratch = await ScratchJournal.openWithThreads();
});
afterEach(() => scratch.remove());

const requestOf = (caller: string, abort = new AbortController()): RequestSignal =>
  Object.assign(abort.signal, { caller });

describe('concurrent reads', () => {
  /** The names in the order in which the reads were done. */
  const done: string[] = [];
  const read = (name: string, signal?: RequestSignal) =>
    scratch.reader.all(['SELECT 1', []], signal).then(() => done.push(name));

  beforeEach(() => done.splice(0));

  it('take turns between callers, however many one caller has', async () => {
    const many = Array.from({ length: 40 }, (_, i) => read(`a${i}`, requestOf('a')));
    const others = [read('b0', requestOf('b')), read('own'), read('b1', requestOf('b'))];
    await Promise.all([...many, ...others]);
    expect(done.slice(0, 7)).toEqual(['a0', 'a1', 'b0', 'own', 'a2', 'b1', 'a3']);
    expect(done).toHaveLength(43);
  });

  it('skip those whose client has disconnected', async () => {
    const gone = new AbortController();
    const first = read('a0', requestOf('a'));
    const abandoned = Array.from({ length: 40 }, () => read('gone', requestOf('b', gone)));
    gone.abort();
    await Promise.all([first, read('a1', requestOf('a')), ...abandoned.map((one) => one.catch(() => null))]);
    expect(done).toEqual(['a0', 'a1']);
    await Promise.all(
      abandoned.map((one) => expect(one).rejects.toMatchObject({ code: 'request_abandoned' })),
    );
  });
});
