import { describeNetworkError } from '../../../src/relay/deliveries/sending/network-error';

const failure = (code: string) => Object.assign(new Error('ECONNREFUSED timeout'), { code });
const named = (code: string) => describeNetworkError(failure(code)).error;

const all = (...codes: string[]) =>
  describeNetworkError(Object.assign(new AggregateError(codes.map(failure)), { code: codes[0] }));

describe('a network failure', () => {
  it.each([
    ['connection_refused', 'ECONNREFUSED'],
    ['connection_reset', 'ECONNRESET EPIPE UND_ERR_SOCKET'],
    ['name_not_found', 'ENOTFOUND'],
    ['name_lookup_failed', 'EAI_AGAIN'],
    ['timeout', 'ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT'],
    ['certificate_unknown', 'DEPTH_ZERO_SELF_SIGNED_CERT CERT_REVOKED'],
    ['certificate_expired', 'CERT_HAS_EXPIRED'],
    ['certificate_name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['address_denied', 'ERR_ADDRESS_DENIED'],
    ['own_intake', 'ERR_OWN_INTAKE'],
    ['answer_too_large', 'UND_ERR_HEADERS_OVERFLOW'],
    ['tls_not_spoken', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    ['tls', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION EPROTO CERT_SIGNATURE_FAILURE'],
    ['unreachable', 'EHOSTUNREACH ENETUNREACH EAFNOSUPPORT'],
    ['local_failure', 'EMFILE ENFILE ENOBUFS ENOMEM EADDRNOTAVAIL EACCES EPERM ENETDOWN'],
    ['network', 'EPROTONOSUPPORT'],
  ])('is named %s by its code, not by its message', (name, codes) => {
    for (const code of codes.split(' ')) expect([code, named(code)]).toEqual([code, name]);
  });

  it('keeps the code, or what else is known, if the name does not tell it', () => {
    expect(describeNetworkError(failure('EMFILE')).code).toBe('EMFILE');
    expect(describeNetworkError(failure('EHOSTUNREACH')).code).toBe('EHOSTUNREACH');
    expect(describeNetworkError(failure('ERR_SSL_NO_PROTOCOLS_AVAILABLE')).code).toMatch('NO_PROTOCOLS');
    expect(describeNetworkError(new TypeError('ECONNREFUSED'))).toEqual({
      error: 'network',
      code: 'TypeError',
    });
    expect(describeNetworkError(failure('ECONNREFUSED')).code).toBeNull();
  });

  it('of several addresses is that of one that this machine can reach', () => {
    expect(all('ECONNREFUSED').error).toBe('connection_refused');
    expect(all('ENETUNREACH', 'ECONNREFUSED').error).toBe('connection_refused');
    expect(all('EADDRNOTAVAIL', 'ECONNRESET').error).toBe('connection_reset');
    expect(all('EMFILE', 'EMFILE').error).toBe('local_failure');
  });
});
