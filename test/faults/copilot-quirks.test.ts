import type { QuirkValues } from '../../src/sandbox/quirks/quirks';
import { EACH_CHOICE, expectHealthyWith } from '../support/runs/quirk-run';

/** Each other value of each choice; then numbers and header names. */
const COMBINATIONS: Partial<QuirkValues>[] = [
  ...EACH_CHOICE,
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
  it.each(COMBINATIONS.map((quirks) => [JSON.stringify(quirks), quirks] as const))('%s', (_, quirks) =>
    expectHealthyWith(quirks),
  );
});
