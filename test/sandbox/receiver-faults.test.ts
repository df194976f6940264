import { patchSandbox } from './patch-sandbox';
import { sandbox, useConnectedSandbox } from './connected-sandbox';

useConnectedSandbox();

const deliver = (init: RequestInit = {}) =>
  fetch(`${sandbox.baseUrl}/receiver`, { method: 'POST', body: 'not {json', ...init });

describe('the receiver of deliveries', () => {
  test('accepts any body', async () => {
    expect((await deliver()).status).toBe(200);
    expect((await deliver({ headers: { 'content-type': 'application/json' } })).status).toBe(200);
  });

  test.each([
    ['receiver_500', 500],
    ['receiver_410', 410],
  ])('fails with %s as often as it is to', async (fault, status) => {
    await patchSandbox(sandbox, 'faults', { [fault]: 1 });
    expect([(await deliver()).status, (await deliver()).status]).toEqual([status, 200]);
  });

  test('does not respond with receiver_timeout', async () => {
    await patchSandbox(sandbox, 'faults', { receiver_timeout: 1 });
    const response = deliver().then(
      () => 'responded',
      () => 'closed',
    );
    await expect(deliver()).resolves.toMatchObject({ status: 200 });
    await sandbox.close();
    await expect(response).resolves.toBe('closed');
  });
});
