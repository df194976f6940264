/**
 * Shortens all intervals of the daemon in this process to at most `maxMs`, for the tests of a file or a `describe`.
 */
export function useFastIntervals(maxMs: number): void {
  const { setInterval } = globalThis;
  beforeAll(() => {
    jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((work: () => void, ms = 0) => setInterval(work, Math.min(ms, maxMs)));
  });
  afterAll(() => jest.restoreAllMocks());
}
