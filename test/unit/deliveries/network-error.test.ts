import { nameNetworkError } from '../../../src/relay/deliveries/sending/network-error';

const named = (code: string) => nameNetworkError(Object.assign(new Error('ECONNREFUSED timeout'), { code }));

it('a network failure is named by its code, not by its message', () => {
  expect(named('ECONNREFUSED')).toBe('connection_refused');
  expect(named('ECONNRESET')).toBe('connection_reset');
  expect(named('EPIPE')).toBe('connection_reset');
  expect(named('UND_ERR_SOCKET')).toBe('connection_reset');
  expect(named('ENOTFOUND')).toBe('name_not_found');
  expect(named('EAI_AGAIN')).toBe('name_lookup_failed');
  expect(named('ETIMEDOUT')).toBe('timeout');
  expect(named('UND_ERR_CONNECT_TIMEOUT')).toBe('timeout');
  expect(named('UND_ERR_HEADERS_TIMEOUT')).toBe('timeout');
  expect(named('DEPTH_ZERO_SELF_SIGNED_CERT')).toBe('certificate_unknown');
  expect(named('CERT_HAS_EXPIRED')).toBe('certificate_expired');
  expect(named('ERR_TLS_CERT_ALTNAME_INVALID')).toBe('certificate_name');
  expect(named('ERR_SSL_WRONG_VERSION_NUMBER')).toBe('tls');
  expect(named('ERR_ADDRESS_DENIED')).toBe('address_denied');
  expect(named('ERR_OWN_INTAKE')).toBe('own_intake');
  expect(named('EHOSTUNREACH')).toBe('network');
  expect(nameNetworkError(new Error('ECONNREFUSED'))).toBe('network');
  const both = new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })], '');
  expect(nameNetworkError(both)).toBe('connection_refused');
});
