import { until } from '../../support/until';
import { useFeatureHarness } from '../../support/daemon/feature-harness';

describe('the key of a subscription', () => {
  const harness = useFeatureHarness();
  const open = async (environment: Record<string, string> = {}) => {
    await harness.open(environment);
    harness.listen();
  };
  /** What intake finds for the key of the registered webhook. */
  const active = () => {
    const [webhook] = [...harness.upstream.webhooks.values()];
    const found = harness.keys.byKey(webhook?.url.split('/').at(-1) ?? '');
    if (found === null) throw new Error('The registered key is not known.');
    return found;
  };
  const learn = async (header: string) => {
    harness.keys.learnSignatureHeader(active().subscriptionId, header);
    await until(`${header} to be stored`, () => harness.subscriptionState().signature_header === header);
  };

  beforeEach(async () => {
    await open();
    await harness.connect();
    await harness.subscriptionWorker.ensureRegistered();
  });

  it('is looked up synchronously', () => {
    const [webhook] = [...harness.upstream.webhooks.values()];
    expect(active()).toEqual({ subscriptionId: 1, secret: webhook?.secret, signatureHeader: null });
    for (const key of ['', 'x', '__proto__', 'toString']) expect(harness.keys.byKey(key)).toBeNull();
  });

  it('is known after a restart, without a request to Co-Pilot', async () => {
    const before = active();
    await harness.close();
    await harness.open();
    expect(active()).toEqual(before);
  });

  it('starts with the configured signature header, until another is learned', async () => {
    await harness.close();
    await open({ COPILOT_SIGNATURE_HEADER: 'X-Guessed' });
    expect(active().signatureHeader).toBe('x-guessed');
    await learn('x-copilot-signature');
    expect(active().signatureHeader).toBe('x-copilot-signature');
    await harness.close();
    await open({ COPILOT_SIGNATURE_HEADER: 'X-Guessed' });
    expect(active().signatureHeader).toBe('x-copilot-signature');
  });

  it('keeps the previous signature header, and logs the change as drift', async () => {
    await learn('x-signature');
    expect(harness.subscriptionState().signature_header_before).toBeNull();
    expect(harness.workspace.logged.join('')).not.toContain('"drift":true');
    await learn('x-signature-256');
    expect(harness.subscriptionState()).toMatchObject({
      signature_header: 'x-signature-256',
      signature_header_before: 'x-signature',
    });
    await until('the drift to be logged', () =>
      harness.workspace.logged.some((line) => line.includes('"drift":true')),
    );
    await harness.close();
    await open();
    expect(harness.subscriptionState()).toMatchObject({
      signature_header: 'x-signature-256',
      signature_header_before: 'x-signature',
    });
  });

  it('stores a learned header once, however many notifications have it', async () => {
    let changes = 0;
    harness.subscription.onChange(() => (changes += 1));
    for (let i = 0; i < 100; i += 1)
      harness.keys.learnSignatureHeader(active().subscriptionId, 'x-signature');
    await until('the header to be stored', () => active().signatureHeader === 'x-signature');
    harness.keys.learnSignatureHeader(active().subscriptionId, 'x-signature');
    expect(changes).toBe(1);
  });

  it('passes the learned header on to its replacement', async () => {
    await learn('x-signature');
    harness.upstream.webhooks.clear();
    await harness.close();
    await open();
    await harness.advance(0);
    await harness.subscriptionWorker.ensureRegistered();
    expect(active()).toMatchObject({ subscriptionId: 2, signatureHeader: 'x-signature' });
  });

  it('has the time of the last notification', () => {
    expect(harness.subscriptionState().last_notification_at).toBeNull();
    harness.keys.recordNotification(active().subscriptionId, Date.UTC(2026, 10, 20, 12, 5), null);
    expect(harness.subscriptionState().last_notification_at).toBe('2026-11-20T12:05:00.000Z');
  });
});
