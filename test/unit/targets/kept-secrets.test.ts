import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import type { TargetPatch } from '../../../src/contract/target';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { resolveSettings } from '../../../src/relay/targets/resolve-settings';
import type { TargetSettings } from '../../../src/relay/targets/target-record';

type Addressed = Pick<TargetSettings, 'format' | 'url'>;

const settings = ({ format, url }: Addressed, name = 'authorization'): TargetSettings => ({
  name: 'team',
  url,
  listener: null,
  format,
  events: ['relay.*'],
  filter: null,
  enabled: true,
  policy: DEFAULT_POLICY,
  headers: [{ name, value: 'kept for its recipient', secret: true }],
  tls: { ca: null, cert: 'a certificate', key: 'a key', verify: true },
  signature: null,
  ed25519: false,
  transform: null,
});

/** The paths of the errors of a change; none if it is accepted. */
function errorsOf(before: TargetSettings, patch: TargetPatch): string[] {
  try {
    resolveSettings(patch, before);
    return [];
  } catch (error) {
    const { remedy, errors } = error as RelayError;
    expect(remedy).toContain('recipient');
    return errors!.map(({ path }) => path);
  }
}

const NEEDS_ALL = ['headers', 'tls.key'];
const MAIL = 'smtps://mail.example:465?from=hub@example.com&to=ops@example.com';
const NTFY = 'https://ntfy.example/ops';
const HOOK = 'https://service.example/hooks/ops?channel=ops';

describe('the stored secrets of a target with messages', () => {
  it.each<[string, Addressed, TargetPatch]>([
    ['another sender', { format: 'email', url: MAIL }, { url: MAIL.replace('hub@', 'boss@') }],
    ['another recipient', { format: 'email', url: MAIL }, { url: MAIL.replace('ops@', 'you@') }],
    ['one more recipient', { format: 'email', url: MAIL }, { url: `${MAIL},you@example.com` }],
    ['another topic', { format: 'ntfy', url: NTFY }, { url: 'https://ntfy.example/sales' }],
    ['another path', { format: 'text', url: HOOK }, { url: HOOK.replace('hooks/ops', 'hooks/all') }],
    ['another query', { format: 'slack', url: HOOK }, { url: HOOK.replace('=ops', '=all') }],
    ['another format', { format: 'ntfy', url: NTFY }, { format: 'text' }],
    ['events instead of messages', { format: 'ntfy', url: NTFY }, { format: 'json' }],
  ])('are not used for %s', (_, before, patch) => {
    expect(errorsOf(settings(before), patch)).toEqual(NEEDS_ALL);
    const named = [{ name: 'authorization', secret: true }];
    const cert = { ca: null, cert: null, verify: true };
    expect(errorsOf(settings(before), { ...patch, headers: named, tls: cert })).toEqual(['headers.0.value']);
  });

  it('such as the key of PagerDuty, are not used at another path of its server', () => {
    const before = { format: 'pagerduty', url: 'https://events.pagerduty.example/v2/enqueue' } as const;
    const patch = { url: 'https://events.pagerduty.example/v1/other' };
    expect(errorsOf(settings(before, 'x-routing-key'), patch)).toEqual([...NEEDS_ALL, 'url']);
  });

  it('can be replaced in the same change', () => {
    const before = { ...settings({ format: 'email', url: MAIL }), tls: null };
    const url = MAIL.replace('//', '//hub:new@').replace('ops@', 'you@');
    expect(resolveSettings({ url }, before).headers).toEqual([
      { name: 'authorization', value: `Basic ${btoa('hub:new')}`, secret: true },
    ]);
  });

  it('are kept with the same address, whatever else changes', () => {
    const before = settings({ format: 'email', url: MAIL });
    expect(errorsOf(before, { url: MAIL, format: 'email', name: 'others', enabled: false })).toEqual([]);
  });
});
