import type { DaemonEntry } from '@contract/daemon';
import type { StateLabel } from './state-label';

/** The state of one of several daemons. */
export function daemonLabel({ alive, leader }: DaemonEntry): StateLabel {
  if (!alive)
    return {
      tone: 'bad',
      label: 'Not alive',
      description: 'Its lease has run out: it ended, is frozen, or cannot reach the database',
    };
  return leader
    ? { tone: 'ok', label: 'Leads', description: 'Does everything but receive notifications, which all do' }
    : {
        tone: 'ok',
        label: 'Receives',
        description: 'Receives notifications, and takes over if the leader ends',
      };
}

/** The address of a daemon, or its id while it starts. */
export const daemonName = ({ address, id }: DaemonEntry): string =>
  address === '' ? id : address.replace('http://', '');
