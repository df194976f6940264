import { FakeCopilot } from '../../support/fakes/copilot';
import { until } from '../../support/until';
import { clearPremises, makePremises, Stand, type Premises } from '../connection/connection-fixture';

describe('What a notification needs and teaches', () => {
  let upstream: FakeCopilot;
  let premises: Premises;
  let stand: Stand;

  const open = async (environment: Record<string, string> = {}) => {
    stand = await Stand.open(premises, upstream, environment);
    stand.subscription.start();
  };
  /** The key that intake finds for the webhook that is registered. */
  const active = () => {
    const [webhook] = [...upstream.webhooks.values()];
    const found = stand.subscription.byKey(webhook?.url.split('/').at(-1) ?? '');
    if (found === null) throw new Error('The registered key is not known.');
    return found;
  };
  const learn = async (header: string) => {
    stand.subscription.learnSignatureHeader(active().subscriptionId, header);
    await until(`${header} to be stored`, () => stand.subscriptionState().signature_header === header);
  };

  beforeEach(async () => {
    upstream = await FakeCopilot.start();
    premises = makePremises();
    await open();
    await stand.connect(upstream);
    await stand.subscription.ensureRegistered();
  });
  afterEach(async () => {
    await stand.close();
    await upstream.close();
    clearPremises(premises);
  });

  it('is found by the key alone, without waiting', () => {
    const [webhook] = [...upstream.webhooks.values()];
    expect(active()).toEqual({ subscriptionId: 1, secret: webhook?.secret, signatureHeader: null });
    for (const key of ['', 'x', '__proto__', 'toString']) expect(stand.subscription.byKey(key)).toBeNull();
  });

  it('is known again after a restart before Co-Pilot is asked anything', async () => {
    const before = active();
    await stand.close();
    stand = await Stand.open(premises, upstream);
    expect(active()).toEqual(before);
  });

  it('begins with the header that is set, until another is learned', async () => {
    await stand.close();
    await open({ COPILOT_SIGNATURE_HEADER: 'X-Guessed' });
    expect(active().signatureHeader).toBe('x-guessed');
    await learn('x-copilot-signature');
    expect(active().signatureHeader).toBe('x-copilot-signature');
    await stand.close();
    await open({ COPILOT_SIGNATURE_HEADER: 'X-Guessed' });
    expect(active().signatureHeader).toBe('x-copilot-signature');
  });

  it('keeps the name before a change, and logs the change as drift', async () => {
    await learn('x-signature');
    expect(stand.subscriptionState().signature_header_before).toBeNull();
    expect(premises.logged.join('')).not.toContain('"drift":true');
    await learn('x-signature-256');
    expect(stand.subscriptionState()).toMatchObject({
      signature_header: 'x-signature-256',
      signature_header_before: 'x-signature',
    });
    await until('the drift to be logged', () =>
      premises.logged.some((line) => line.includes('"drift":true')),
    );
    await stand.close();
    await open();
    expect(stand.subscriptionState()).toMatchObject({
      signature_header: 'x-signature-256',
      signature_header_before: 'x-signature',
    });
  });

  it('writes a header once however many notifications bring it', async () => {
    let changes = 0;
    stand.subscription.onChange(() => (changes += 1));
    for (let i = 0; i < 100; i += 1)
      stand.subscription.learnSignatureHeader(active().subscriptionId, 'x-signature');
    await until('the header to be stored', () => active().signatureHeader === 'x-signature');
    stand.subscription.learnSignatureHeader(active().subscriptionId, 'x-signature');
    expect(changes).toBe(1);
  });

  it('hands the header on to the successor', async () => {
    await learn('x-signature');
    upstream.webhooks.clear();
    await stand.close();
    await open();
    await stand.pass(0);
    await stand.subscription.ensureRegistered();
    expect(active()).toMatchObject({ subscriptionId: 2, signatureHeader: 'x-signature' });
  });

  it('shows when the last notification came', () => {
    expect(stand.subscriptionState().last_notification_at).toBeNull();
    stand.subscription.recordNotification(active().subscriptionId, Date.UTC(2026, 10, 20, 12, 5), null);
    expect(stand.subscriptionState().last_notification_at).toBe('2026-11-20T12:05:00.000Z');
  });
});
