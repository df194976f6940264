import { READINGS, type Readings } from '../../../src/sandbox/quirks/readings';
import { SandboxedRelay } from '../../support/daemon/sandboxed-relay';

let relay: SandboxedRelay;
afterEach(() => relay.end());

/** Each reading at each of its values; where it is a number or a name, at one that is not the usual. */
const OTHERWISE: Partial<Readings>[] = [
  ...Object.entries(READINGS).flatMap(([name, reading]) =>
    'values' in reading ? Object.keys(reading.values).map((value) => ({ [name]: value })) : [],
  ),
  { signature_header: 'x-hub-signature-256', signature_shape: 'sha256' },
  { signature_header: 'signature', signature_shape: 't_v1' },
  { list_paging: 'cursor', page_size: 1 },
  { list_paging: 'page', page_size: 1, list_shape: 'array' },
  { webhook_limit: 1 },
  { webhook_limit: 1, webhook_limit_status: '422', create_answer: 'empty_204' },
  { create_answer: 'empty_201', list_shape: 'items' },
  { token_life_seconds: 5 },
  { token_life_seconds: 86_400 },
  { refresh_token: 'kept', token_life_seconds: 60 },
];

describe('Whichever way Co-Pilot is read, it ends connected, registered once and receiving', () => {
  it.each(OTHERWISE.map((readings) => [JSON.stringify(readings), readings] as const))(
    '%s',
    async (_, readings) => {
      relay = await SandboxedRelay.start({ readings });
      expect(await relay.connect()).toBe(302);
      await relay.expectWellForLong();
    },
  );
});
