import type { QuirkValues } from '../../../src/sandbox/quirks/quirks';
import { ALL_CHOICES, expectHealthyWith } from '../../support/runs/quirk-run';

/** Numbers and header names, for each combination of choices. */
const OTHERS: Partial<QuirkValues>[] = [
  { signature_header: 'x-hub-signature-256', page_size: 1, token_lifetime_seconds: 5 },
  { signature_header: 'signature', page_size: 1, token_lifetime_seconds: 60, refresh_token: 'reusable' },
  { webhook_limit: 1 },
  { webhook_limit: 1, webhook_limit_status: '422', token_lifetime_seconds: 86_400 },
];
const COMBINATIONS = [{}, ...ALL_CHOICES.map((choices, i) => ({ ...choices, ...OTHERS[i] }))];

describe('whatever the quirks of Co-Pilot, the daemon ends up connected, registered once and receiving', () => {
  it.each(COMBINATIONS.map((quirks) => [JSON.stringify(quirks), quirks] as const))('%s', (_, quirks) =>
    expectHealthyWith(quirks),
  );
});
