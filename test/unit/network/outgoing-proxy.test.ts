import { OutgoingProxy } from '../../../src/relay/network/outgoing-proxy';

const proxyFor = (address: string, except: string[] = []) =>
  new OutgoingProxy({
    outgoingProxy: {
      https: 'http://us%40r:p%3Ass@proxy.example:3128',
      http: 'https://[2001:db8::1]',
      except,
    },
  }).for(new URL(address));

it('depends on the scheme of the address', () => {
  expect(proxyFor('https://shop.example/')).toEqual({
    hostname: 'proxy.example',
    port: 3_128,
    isSecure: false,
    authorization: `Basic ${Buffer.from('us@r:p:ss').toString('base64')}`,
  });
  expect(proxyFor('http://shop.example/')).toEqual({
    hostname: '2001:db8::1',
    port: 443,
    isSecure: true,
    authorization: null,
  });
});

it.each([
  ['https://localhost:8443/', []],
  ['https://shop.localhost/', []],
  ['http://127.8.9.1/', []],
  ['http://[::1]:80/', []],
  ['https://shop.example/', ['*']],
  ['https://shop.example/', ['other.example', 'shop.example']],
  ['https://a.shop.example/', ['shop.example']],
  ['https://a.shop.example/', ['.shop.example']],
  ['https://a.shop.example/', ['*.shop.example']],
  ['https://shop.example/', ['shop.example:443']],
  ['http://shop.example:8080/', ['shop.example:8080']],
  ['http://10.1.2.3/', ['10.0.0.0/8']],
  ['http://10.1.2.3/', ['10.1.2.3']],
  ['http://[fd00::7]:81/', ['fd00::/8']],
  ['http://[fd00::7]:81/', ['fd00::7']],
  ['http://[fd00::7]:81/', ['[fd00::7]:81']],
  ['http://[fd00::7]:81/', ['fd00:0:0::07']],
  ['http://10.1.2.3/', ['10.*']],
  ['http://10.1.2.3:81/', ['10.*.3:81']],
  ['https://shop.example./', ['shop.example']],
  ['https://a.shop.example/', ['shop.example.']],
  ['https://shop.example/', ['https://shop.example']],
  ['https://shop.example:8443/', ['http://shop.example:8443/']],
  ['https://b\u00fcro.example/', ['b\u00fcro.example']],
  ['https://b\u00fcro.example/', ['*.xn--bro-hoa.example']],
  ['https://shop-7.example/', ['shop-*.example']],
])('is not used for %s, with the exceptions %j', (address, except) => {
  expect(proxyFor(address, except)).toBeNull();
});

it.each([
  ['https://myshop.example/', ['shop.example']],
  ['https://shop.example.org/', ['shop.example']],
  ['https://shop.example/', ['shop.example:80']],
  ['http://10.1.2.3/', ['10.1.2.30', '11.0.0.0/8', 'fd00::/8', '1.*', '10.1.2.3:81']],
  ['http://localhost.example/', []],
])('is used for %s, despite the exceptions %j', (address, except) => {
  expect(proxyFor(address, except)).not.toBeNull();
});
