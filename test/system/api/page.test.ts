import type { ApiDocument } from '../../support/api/described-api';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

describe('the page of the API', () => {
  it('has every operation and schema of the document, and every link leads to a part of it', async () => {
    const document = (await switchboard.ask('/openapi.json')).json as ApiDocument;
    const { status, text } = await switchboard.wire.send('/docs/api', { headers: switchboard.bearer });
    expect(status).toBe(200);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ operationId }) => operationId)));
    expect(ids).toEqual(expect.arrayContaining(Object.keys(document.components.schemas)));
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
    expect(text).toContain('https://billing.example.com/hook');
    const calls = text.replaceAll('&#39;', "'").replaceAll('&#60;', '<').replaceAll('&#62;', '>');
    expect(calls).toContain(
      `await client.request('POST', '/api/v1/targets/{id}/pause', { path: { id: '<id>' }, body: {`,
    );
  });

  it('needs no script, and allows none', async () => {
    const { headers, text } = await switchboard.wire.send('/docs/api', { headers: switchboard.bearer });
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'unsafe-inline'/);
    expect(text).not.toContain('<script');
  });

  it('is for everyone who is logged in; others are sent to the sign-in page', async () => {
    const { status, headers } = await switchboard.wire.send('/docs/api');
    expect({ status, location: headers.location }).toEqual({
      status: 302,
      location: '/sign-in?next=%2Fdocs%2Fapi',
    });
  });
});
