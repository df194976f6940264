import { AllowedHosts } from '../../../src/relay/access/allowed-hosts';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { readSettings } from '../../../src/relay/settings/read-settings';

function own(host: string, port = 4000): AllowedHosts {
  const settings = readSettings({
    HOST: host,
    PORT: String(port),
    COPILOT_BASE_URL: 'http://127.0.0.1:9',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'client-secret',
  });
  return new AllowedHosts(new PublicAddress(settings), settings);
}

it('HOST is accepted if it is an IP address', () => {
  expect(own('192.168.1.5').isAllowedHost('192.168.1.5:4000')).toBe(true);
  expect(own('192.168.1.5').isAllowedHost('192.168.1.6:4000')).toBe(false);
  expect(own('fd00::5').isAllowedHost('[fd00::5]:4000')).toBe(true);
  expect(own('192.168.1.5').isAllowedOrigin('http://192.168.1.5:4000', '192.168.1.5:4000')).toBe(true);
});

it('a host name and the unspecified address are not', () => {
  expect(own('hub.lan').isAllowedHost('hub.lan:4000')).toBe(false);
  expect(own('0.0.0.0').isAllowedHost('0.0.0.0:4000')).toBe(false);
  expect(own('::').isAllowedHost('[::]:4000')).toBe(false);
});

it('a default port may be omitted or included', () => {
  expect(own('127.0.0.1', 80).isAllowedHost('localhost')).toBe(true);
  expect(own('127.0.0.1', 80).isAllowedHost('localhost:80')).toBe(true);
  expect(own('127.0.0.1', 80).isAllowedHost('localhost:443')).toBe(false);
});

it('a request without a Host is not accepted', () => {
  expect(own('127.0.0.1').isAllowedHost(undefined)).toBe(false);
  expect(own('127.0.0.1').isAllowedOrigin('http://localhost:4000', undefined)).toBe(false);
});
