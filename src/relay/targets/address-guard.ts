import { networkInterfaces } from 'node:os';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { Daemons } from '../ground/daemons';
import type { Route } from '../network/connector';
import { endpointOf } from '../network/endpoint';
import { HostAddresses, toLookupFunction } from '../network/host-addresses';
import { OutgoingProxy } from '../network/outgoing-proxy';
import { RelayError } from '../ground/relay-error';
import { isLoopbackName } from '../settings/loopback';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';
import { maskAddress } from './address-credentials';
import { ADDRESS_DENIED, AddressRules, OWN_INTAKE, privateRangeOf } from './address-rules';
import { reachedAddress } from './reached-address';

/** Why an address is denied, and what to do, as sentences. */
export interface AddressDenial {
  sentence: string;
  remedy: string;
}

/** Prevents deliveries to denied addresses, and to the daemons of this hub. */
@Injectable()
export class AddressGuard {
  private readonly rules: AddressRules;
  private readonly proxy: OutgoingProxy;

  constructor(
    private readonly settings: Settings,
    private readonly publicAddress: PublicAddress,
    private readonly hosts: HostAddresses,
    private readonly daemons: Daemons,
  ) {
    this.rules = new AddressRules(settings.targetAllow, settings.targetDeny);
    this.proxy = new OutgoingProxy(settings);
  }

  /**
   * Checks a URL when a target is saved: every address it resolves to must be permitted. A name that cannot be
   * resolved passes, since it is checked again at each connect.
   * @throws RelayError `address_denied` or `own_intake`, 422
   */
  async assertAllowed(targetUrl: string): Promise<void> {
    const url = new URL(targetUrl);
    if (url.origin === new URL(this.publicAddress.url).origin && isIntakePath(url))
      throw ownIntake(targetUrl);
    const addresses = await this.resolve(hostOf(url));
    if (addresses.some((ip) => this.reachesDaemon(url, ip))) throw ownIntake(targetUrl);
    const denial = this.denialOf(url.hostname, addresses);
    if (denial === null) return;
    throw new RelayError('address_denied', 422, denial.sentence, {
      remedy: denial.remedy,
      errors: [{ path: 'url', message: 'this address is not allowed' }],
    });
  }

  /**
   * Why nothing can be sent to a URL: all addresses that it resolves to now are denied. Null if one of them is
   * permitted, or there are none.
   */
  async describeDenial(targetUrl: string): Promise<AddressDenial | null> {
    const url = new URL(targetUrl);
    const addresses = await this.resolve(hostOf(url));
    if (addresses.some((ip) => this.rules.permits(ip))) return null;
    return this.denialOf(url.hostname, addresses);
  }

  /**
   * A check to make before each request to `url`. It returns the error code if the host is an IP address that is
   * denied, or null. Node connects to an IP address without a lookup, so `routeTo` never checks it.
   */
  literalCheckFor(url: URL): () => string | null {
    const host = hostOf(url);
    if (!ipaddr.isValid(host)) return () => null;
    if (!this.rules.permits(host)) return () => ADDRESS_DENIED;
    // Only this depends on the present: the daemons, and the addresses of this machine.
    return () => (this.reachesDaemon(url, host) ? OWN_INTAKE : null);
  }

  /** The way to `url`: to permitted addresses only, through the proxy if one is configured for it. */
  routeTo(url: URL): Route {
    return {
      proxy: this.proxy.for(url),
      resolve: (host) => this.permittedAddresses(url, host),
      resolveProxy: (host) => this.hosts.resolve(host),
    };
  }

  /** A lookup function for connections to `url` that returns permitted addresses only. */
  lookupFor(url: URL): LookupFunction {
    return toLookupFunction((host) => this.permittedAddresses(url, host));
  }

  private async permittedAddresses(url: URL, host: string): Promise<LookupAddress[]> {
    const addresses = await this.hosts.resolve(host);
    const denials = addresses.map(({ address }) => this.denialCode(url, address));
    const permitted = addresses.filter((_, i) => denials[i] === null);
    if (permitted.length > 0) return permitted;
    throw Object.assign(new Error('no permitted address'), { code: denials[0] });
  }

  /** The error code if this address of a URL is denied; null otherwise. */
  private denialCode(url: URL, ip: string): string | null {
    if (!this.rules.permits(ip)) return ADDRESS_DENIED;
    return this.reachesDaemon(url, ip) ? OWN_INTAKE : null;
  }

  /**
   * Whether a daemon of this hub listens there. Targets have headers of the operator's choice, and a daemon that
   * received them from the address of another one might trust that.
   */
  private reachesDaemon(url: URL, ip: string): boolean {
    const { port } = endpointOf(url);
    if (port === this.publicAddress.listeningPort && isThisMachine(ip)) return true;
    return this.daemons.endpoints.some(
      (daemon) =>
        daemon.port === port &&
        (isSame(daemon.host, ip) || (isThisMachine(daemon.host) && isThisMachine(ip))),
    );
  }

  /** Describes the first of these addresses that is denied; null if none is. */
  private denialOf(name: string, addresses: readonly string[]): AddressDenial | null {
    const denials = addresses.map((ip) => this.rules.denialReason(ip));
    const at = denials.findIndex((denial) => denial !== null);
    if (at === -1) return null;
    const { host: listenHost, targetAllow } = this.settings;
    const isPrivate = denials[at] === 'private';
    // Whoever allowed certain ranges only has left this one out on purpose, so adding it is not suggested.
    if (!isPrivate || !targetAllow.includes('public'))
      return {
        sentence: `${name} resolves to an address that is not allowed for targets.`,
        remedy: 'Use another URL, or change SWITCHBOARD_TARGET_ALLOW or SWITCHBOARD_TARGET_DENY and restart.',
      };
    const reason = isLoopbackName(listenHost)
      ? ''
      : `, because HOST ${listenHost} makes the daemon reachable from other machines`;
    const allowed = [...targetAllow, privateRangeOf(addresses[at]!)].join(',');
    return {
      sentence: `${name} resolves to an address of a private network or of this machine. SWITCHBOARD_TARGET_ALLOW must list it${reason}.`,
      remedy: `Set SWITCHBOARD_TARGET_ALLOW=${allowed} and restart, or use another URL.`,
    };
  }

  private async resolve(host: string): Promise<string[]> {
    if (ipaddr.isValid(host)) return [host];
    const found = await this.hosts.resolve(host).catch(() => []);
    return found.map(({ address }) => address);
  }
}

const hostOf = (url: URL) => endpointOf(url).host;

const isSame = (one: string, other: string) =>
  reachedAddress(one).toString() === reachedAddress(other).toString();

/**
 * Decodes escaped ASCII characters, and ignores case and repeated slashes: the intake accepts none of these, but a
 * proxy in front of it may normalize the path.
 */
function isIntakePath({ pathname }: URL): boolean {
  const path = pathname.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /^\/+hooks(\/|$)/i.test(path);
}

function isThisMachine(ip: string): boolean {
  const address = reachedAddress(ip);
  if (address.range() === 'loopback' || address.range() === 'unspecified') return true;
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return own.some(
    (found) =>
      ipaddr.isValid(found.address) && ipaddr.process(found.address).toString() === address.toString(),
  );
}

function ownIntake(targetUrl: string): RelayError {
  return new RelayError(
    'own_intake',
    422,
    `${maskAddress(targetUrl)} is ${isIntakePath(new URL(targetUrl)) ? 'the webhook endpoint of this hub, which would receive its own events in an endless loop' : 'a daemon of this hub, which may trust requests from its machines'}.`,
    {
      remedy: 'Enter the URL of the system that should receive the events.',
    },
  );
}
