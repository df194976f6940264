import { listenHandshake, type ListenHandshake } from '../../contract/listen';
import type { Operator } from '../access/operator';
import { allows } from '../access/scopes';
import { payloadMasked } from '../filters/masked-filter';
import { RelayError } from '../ground/relay-error';
import type { TargetRecord } from '../targets/target-record';

/** Each has its own connection, and its process answers to nobody else. */
const MAX_CONNECTED = 32;

/** A process that may connect for a listener. */
export interface Admitted {
  target: TargetRecord;
  handshake: ListenHandshake;
  operator: Operator;
}

interface Present {
  targets: readonly TargetRecord[];
  /** The process that is connected for a target: its id, and the process in words. */
  connectedTo: (target: number) => { clientId: string; sentence: string } | undefined;
  count: number;
}

/** Admits a process for a listener, or says why not. @param auth what it sends in the handshake */
export function admitListener(auth: unknown, operator: Operator, present: Present): Admitted | RelayError {
  const parsed = listenHandshake.safeParse(auth);
  if (!parsed.success) return new RelayError('handshake_invalid', 400, 'The handshake is invalid.');
  const handshake = parsed.data;
  const target = present.targets.find(({ id }) => id === handshake.target);
  if (target === undefined)
    return new RelayError('target_removed', 404, `There is no target ${handshake.target}.`);
  if (target.listener === null)
    return new RelayError('target_kind_mismatch', 409, `"${target.name}" is not a listener.`);
  if (!mayUse(target, operator)) return notOwn(target);
  if (operator.mask !== null) return listenerMasked();
  const other = present.connectedTo(target.number);
  if (other === undefined && present.count >= MAX_CONNECTED)
    return new RelayError(
      'too_many_listeners',
      429,
      `${MAX_CONNECTED} listeners are connected, the maximum.`,
    );
  if (other !== undefined && other.clientId !== handshake.client_id && !handshake.take_over)
    return new RelayError('listener_connected', 409, `For "${target.name}", ${other.sentence}.`);
  return { target, handshake, operator };
}

/** With the scope `receive` alone, a token may use only what it has created. */
export const mayUse = ({ listener }: TargetRecord, { scopes, credentialId }: Operator): boolean =>
  allows(scopes, ['operate']) || (listener !== null && listener.owner === credentialId);

/** What a listener is sent are the exact bytes. */
export const listenerMasked = () => payloadMasked('A listener would receive values that are masked.');

export const notOwn = ({ name }: TargetRecord) =>
  new RelayError('scope_missing', 403, `"${name}" was not created by this token, which needs \`operate\`.`, {
    remedy: 'Choose another name, or use a token with the scope `operate`.',
  });
