import { networkInterfaces } from 'node:os';
import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { HostAddresses } from '../network/host-addresses';
import { lookupBy } from '../network/lookup-by';
import { RelayError } from '../ground/relay-error';
import { isLoopbackName } from '../settings/loopback';
import { PublicAddress } from '../settings/public-address';
import { Settings } from '../settings/settings';
import { maskQuery } from './address-credentials';
import { AddressPolicy, privateRangeOf } from './address-policy';
import { reachedAddress } from './reached-address';

/** Codes of the errors that a guarded connection fails with. */
export const ADDRESS_DENIED = 'ERR_ADDRESS_DENIED';
export const OWN_INTAKE = 'ERR_OWN_INTAKE';

/** Why an address is refused, and what to do, a sentence each. */
export interface AddressRefusal {
  sentence: string;
  remedy: string;
}

/** Keeps deliveries away from addresses that the operator denies, and from our own intake. */
@Injectable()
export class AddressGuard {
  private readonly policy: AddressPolicy;

  constructor(
    private readonly settings: Settings,
    private readonly publicAddress: PublicAddress,
    private readonly hosts: HostAddresses,
  ) {
    this.policy = new AddressPolicy(settings.targetAllow, settings.targetDeny);
  }

  /**
   * Judges an address when a target is saved. A name that does not resolve passes: it is judged again at each connect.
   * @throws RelayError `address_denied` or `own_intake`, 422
   */
  async assertAllowed(address: string): Promise<void> {
    const url = new URL(address);
    if (url.origin === new URL(this.publicAddress.url).origin && isIntakePath(url)) throw ownIntake(address);
    const addresses = await this.resolve(hostOf(url));
    if (addresses.some((ip) => this.classify(url, ip) === OWN_INTAKE)) throw ownIntake(address);
    const refused = this.describeRefused(url.hostname, addresses);
    if (refused === null) return;
    throw new RelayError('address_denied', 422, refused.sentence, {
      remedy: refused.remedy,
      errors: [{ path: 'url', message: 'targets may not have this address' }],
    });
  }

  /** Why what a target's name leads to now is refused, and what to do; null where it is not, or leads nowhere. */
  async describeRefusal(address: string): Promise<AddressRefusal | null> {
    const url = new URL(address);
    return this.describeRefused(url.hostname, await this.resolve(hostOf(url)));
  }

  /** A literal address is never looked up, so it has to be judged before the connection is made. */
  literalRefusal(url: URL): string | null {
    const host = hostOf(url);
    return ipaddr.isValid(host) ? this.classify(url, host) : null;
  }

  /** A look-up for connections to `url` that answers with permitted addresses only, whatever the name says by then. */
  lookupFor(url: URL): LookupFunction {
    return lookupBy(async (host) => {
      const addresses = await this.hosts.of(host);
      const judged = addresses.map(({ address }) => this.classify(url, address));
      const permitted = addresses.filter((_, i) => judged[i] === null);
      if (permitted.length > 0) return permitted;
      throw Object.assign(new Error('no permitted address'), { code: judged[0] });
    });
  }

  private classify(url: URL, ip: string): string | null {
    if (!this.policy.permits(ip)) return ADDRESS_DENIED;
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    return isIntakePath(url) && port === this.publicAddress.listeningPort && isThisMachine(ip)
      ? OWN_INTAKE
      : null;
  }

  private describeRefused(name: string, addresses: readonly string[]): AddressRefusal | null {
    const refusals = addresses.map((ip) => this.policy.refusal(ip));
    const at = refusals.findIndex((refusal) => refusal !== null);
    if (at === -1) return null;
    const { host, targetAllow } = this.settings;
    const isPrivate = refusals[at] === 'private';
    if (!isPrivate || !targetAllow.includes('public'))
      return {
        sentence: `${name} is an address that targets may not have.`,
        remedy: 'Choose another address, or change SWITCHBOARD_TARGET_ALLOW and SWITCHBOARD_TARGET_DENY.',
      };
    const reached = isLoopbackName(host) ? '' : `, since others reach the daemon on HOST ${host}`;
    const allowed = [...targetAllow, privateRangeOf(addresses[at]!)].join(',');
    return {
      sentence: `${name} is an address of a private network or of this machine, which SWITCHBOARD_TARGET_ALLOW has to name${reached}.`,
      remedy: `Set SWITCHBOARD_TARGET_ALLOW=${allowed} and restart, or choose another address.`,
    };
  }

  private async resolve(host: string): Promise<string[]> {
    if (ipaddr.isValid(host)) return [host];
    const found = await this.hosts.of(host).catch(() => []);
    return found.map(({ address }) => address);
  }
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

/** Escapes count as what they stand for, as they do where the request arrives. */
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

function ownIntake(address: string): RelayError {
  return new RelayError(
    'own_intake',
    422,
    `${maskQuery(address)} is where Co-Pilot sends to this hub: it would receive its own events for ever.`,
    {
      remedy: 'Give the address of the software that is to receive the events.',
    },
  );
}
