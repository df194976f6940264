import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { TargetCreate } from '../../contract/target';
import type { Operator } from '../access/operator';
import { allows } from '../access/scopes';
import { RelayError } from '../ground/relay-error';
import { listenerMasked, mayUse, notOwn } from '../live/admit-listener';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

/** How many listeners a token with the scope `receive` alone may have created. */
const MAX_OWN = 5;

/** The listener that a request to create a target asks for, if it exists, and whether the caller may create it. */
@Injectable()
export class ListenerTargets {
  constructor(private readonly targets: TargetsService) {}

  /**
   * Changes the existing listener of that name, as `attach` asks for.
   * @returns null if there is none, and the target is to be created
   * @throws RelayError `scope_missing`, `payload_masked`, 403; `target_kind_mismatch`, `too_many_listeners`, 409
   */
  async attach(
    { kind, attach, name, events, filter, policy }: TargetCreate,
    caller: Operator,
  ): Promise<TargetRecord | null> {
    if (kind !== 'listener') {
      if (allows(caller.scopes, ['operate'])) return null;
      throw new RelayError('scope_missing', 403, 'Only listeners can be created without `operate`.', {
        remedy: 'Use a token with this scope. The scopes of an existing token cannot be changed.',
      });
    }
    if (caller.mask !== null) throw listenerMasked();
    const existing = attach === true ? this.targets.all().find((target) => target.name === name) : undefined;
    if (existing === undefined) {
      this.assertBelowLimit(caller);
      return null;
    }
    if (existing.listener === null)
      throw new RelayError('target_kind_mismatch', 409, `"${name}" is a target with an address.`, {
        remedy: 'Choose another name.',
      });
    if (!mayUse(existing, caller)) throw notOwn(existing);
    const patch = {
      ...(events !== undefined && { events }),
      ...(filter !== undefined && { filter }),
      ...(Object.keys(policy).length > 0 && { policy }),
    };
    const wanted = { ...existing, ...patch, policy: { ...existing.policy, ...policy } };
    if (isDeepStrictEqual(wanted, existing)) return existing;
    return (await this.targets.update(existing.id, patch)).record;
  }

  private assertBelowLimit({ scopes, credentialId }: Operator): void {
    if (allows(scopes, ['operate'])) return;
    const own = this.targets.all().filter(({ listener }) => listener?.owner === credentialId);
    if (own.length >= MAX_OWN)
      throw new RelayError('too_many_listeners', 409, `This token has ${MAX_OWN} listeners, the maximum.`, {
        remedy: 'Use one of them, or have an operator remove one.',
      });
  }
}
