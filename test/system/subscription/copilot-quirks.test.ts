import { type Quirk, QUIRKS } from '../../../src/sandbox/quirks/quirk-table';
import type { QuirkValues } from '../../../src/sandbox/quirks/quirks';
import { SandboxedRelay } from '../../support/daemon/sandboxed-relay';

let relay: SandboxedRelay;
afterEach(() => relay.end());

/** All defaults; then every other value of each choice; then numbers and header names. */
const COMBINATIONS: Partial<QuirkValues>[] = [
  {},
  ...Object.entries<Quirk>(QUIRKS).flatMap(([name, quirk]) =>
    quirk.kind === 'choice'
      ? Object.keys(quirk.values)
          .filter((value) => value !== quirk.default)
          .map((value) => ({ [name]: value }))
      : [],
  ),
  { signature_header: 'x-hub-signature-256', signature_format: 'sha256' },
  { signature_header: 'signature', signature_format: 't_v1' },
  { list_paging: 'cursor', page_size: 1 },
  { list_paging: 'page', page_size: 1, list_format: 'array' },
  { webhook_limit: 1 },
  { webhook_limit: 1, webhook_limit_status: '422', create_response: 'empty_204' },
  { create_response: 'empty_201', list_format: 'items' },
  { token_lifetime_seconds: 5 },
  { token_lifetime_seconds: 86_400 },
  { refresh_token: 'reusable', token_lifetime_seconds: 60 },
];

describe('whatever the quirks of Co-Pilot, the daemon ends up connected, registered once and receiving', () => {
  it.each(COMBINATIONS.map((quirks) => [JSON.stringify(quirks), quirks] as const))(
    '%s',
    async (_, quirks) => {
      relay = await SandboxedRelay.start({ quirks });
      expect(await relay.connect()).toBe(302);
      await relay.expectHealthyAfterRestart();
    },
  );
});
