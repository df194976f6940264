import { OwnAddress } from '../../../src/relay/access/own-address';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { readSettings } from '../../../src/relay/settings/read-settings';

function own(host: string, port = 4000): OwnAddress {
  const settings = readSettings({
    HOST: host,
    PORT: String(port),
    COPILOT_BASE_URL: 'http://127.0.0.1:9',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'client-secret',
  });
  return new OwnAddress(new PublicAddress(settings), settings);
}

it('HOST is one of our names where it is an address', () => {
  expect(own('192.168.1.5').isOwnHost('192.168.1.5:4000')).toBe(true);
  expect(own('192.168.1.5').isOwnHost('192.168.1.6:4000')).toBe(false);
  expect(own('fd00::5').isOwnHost('[fd00::5]:4000')).toBe(true);
  expect(own('192.168.1.5').isOwnOrigin('http://192.168.1.5:4000', '192.168.1.5:4000')).toBe(true);
});

it('neither a name nor "all addresses" is', () => {
  expect(own('hub.lan').isOwnHost('hub.lan:4000')).toBe(false);
  expect(own('0.0.0.0').isOwnHost('0.0.0.0:4000')).toBe(false);
  expect(own('::').isOwnHost('[::]:4000')).toBe(false);
});

it('a default port may be left out or written', () => {
  expect(own('127.0.0.1', 80).isOwnHost('localhost')).toBe(true);
  expect(own('127.0.0.1', 80).isOwnHost('localhost:80')).toBe(true);
  expect(own('127.0.0.1', 80).isOwnHost('localhost:443')).toBe(false);
});

it('a request without a Host is not ours', () => {
  expect(own('127.0.0.1').isOwnHost(undefined)).toBe(false);
  expect(own('127.0.0.1').isOwnOrigin('http://localhost:4000', undefined)).toBe(false);
});
