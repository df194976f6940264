import { HubClient } from '../../../src/cli/remote/hub-client';

const hub = { url: 'http://127.0.0.1:9', token: 'x', source: 'a test', isLocal: false, caFile: null };
const client = new HubClient(() => Promise.resolve(hub), '0.1.0');

it('refuses a name that would change the path of a request', async () => {
  const removed = client.request('DELETE', '/api/v1/consumers/{name}', { path: { name: '..' } });
  await expect(removed).rejects.toMatchObject({ exitCode: 2, detail: 'The name must not be "..".' });
});

/** Only compiled. */
export function refused(): void {
  // @ts-expect-error: no such path
  void client.request('GET', '/api/v1/event');
  // @ts-expect-error: not with this method
  void client.request('PUT', '/api/v1/targets');
  // @ts-expect-error: no name in the path
  void client.request('DELETE', '/api/v1/consumers/{name}');
  // @ts-expect-error: no such parameter
  void client.request('GET', '/api/v1/targets', { query: { limits: 1 } });
  // @ts-expect-error: no such field
  void client.request('POST', '/api/v1/targets', { body: { name: 'a', link: 'https://a.example' } });
}
