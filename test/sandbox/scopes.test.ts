import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';

/** The document's scopes (5.5), spelled out, with what each grants. */
const SCOPES = [
  ['deals', 'Access to deals'],
  ['contacts', 'Access to contacts and companies'],
  ['tasks', 'Access to tasks'],
  ['scenarios', 'Management of scenarios'],
  ['agents', 'Management of AI agents'],
  ['analytics', 'Access to analytics'],
  ['webhooks', 'Management of webhooks'],
] as const;

let sandbox: Sandbox;
let client: Client;

beforeEach(async () => {
  sandbox = await startSandbox();
  client = new Client(sandbox);
});
afterEach(() => sandbox.close());

test('each scope is described on the consent page and granted on request (document, 5.5)', async () => {
  for (const [scope, meaning] of SCOPES) {
    const page = await (await fetch(client.authorizeUrl({ scope }))).text();
    expect(SCOPES.filter(([, other]) => page.includes(other))).toEqual([[scope, meaning]]);
    const question = /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const response = await fetch(new URL('/oauth/authorize', sandbox.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ consent: question, decision: 'allow' }),
      redirect: 'manual',
    });
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
    expect((await client.exchange(code)).body.scope).toBe(scope);
  }
});
