import { withTimeout } from '../../../src/relay/ground/with-timeout';

const never = new Promise<string>(() => undefined);

it('settles as the promise does before the timeout', async () => {
  await expect(withTimeout(Promise.resolve('done'), 60_000, 'fallback')).resolves.toBe('done');
  await expect(withTimeout(Promise.reject(new Error('broken')), 60_000, 'fallback')).rejects.toThrow(
    'broken',
  );
});

it('resolves to the fallback at the timeout', async () => {
  await expect(withTimeout(never, 1, 'fallback')).resolves.toBe('fallback');
});

it('leaves no timer behind', async () => {
  const before = process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  await withTimeout(Promise.resolve(), 60_000, null);
  await withTimeout(Promise.reject(new Error('broken')), 60_000, null).catch(() => undefined);
  expect(process.getActiveResourcesInfo().filter((one) => one === 'Timeout')).toHaveLength(before);
});
