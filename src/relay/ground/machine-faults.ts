import { readFileSync } from 'node:fs';
import type { LeaderLink } from './leader-link';
import { Signal } from './signal';

/** How many files, connections included, this process may have open; Node raises the soft limit to the hard one. */
export const MAX_OPEN_FILES = readMaxOpenFiles();

function readMaxOpenFiles(): number {
  try {
    const [, hard] = /^Max open files +\d+ +(\d+) /m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return hard === undefined ? Infinity : Number(hard);
  } catch {
    return Infinity;
  }
}

interface MachineFault {
  /** What this machine lacks or refuses, as a clause. */
  what: string;
  remedy: string;
}

const OUT_OF_MEMORY = [
  'the system has no memory for another connection',
  'Free memory, or raise net.ipv4.tcp_mem.',
];
const FORBIDDEN = [
  'this machine forbids the connection',
  'Check its firewall rules and routes, and what confines the process (SELinux, AppArmor).',
];

const FAULTS: Readonly<Record<string, string[]>> = {
  EMFILE: [
    `this process may not open more than ${MAX_OPEN_FILES} files and connections`,
    'Raise the limit and restart: LimitNOFILE= in the systemd unit, --ulimit nofile= of the container, or ulimit -n.',
  ],
  ENFILE: [
    'the system may not open more files and connections',
    'Raise fs.file-max, or end what keeps so many files open.',
  ],
  ENOBUFS: OUT_OF_MEMORY,
  ENOMEM: OUT_OF_MEMORY,
  EADDRNOTAVAIL: [
    'this machine has no free port or no address for the connection',
    'Widen net.ipv4.ip_local_port_range, and check the addresses of this machine, also of IPv6.',
  ],
  ENETDOWN: ['the network of this machine is down', 'Check its network interfaces.'],
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
};

/** @returns null if the error code of a connection or a thread is no fault of this machine */
export function describeMachineFault(code: string): MachineFault | null {
  const [what, remedy] = FAULTS[code] ?? [];
  return what === undefined || remedy === undefined ? null : { what, remedy };
}

const codeIn = (text: string) => /\bE[A-Z]{3,}\b/.exec(text)?.[0] ?? '';

/** @param text contains the error code, if there is one */
export const machineFaultIn = (text: string): MachineFault | null => describeMachineFault(codeIn(text));

/** What to do after a request to Co-Pilot failed. @param reason contains the error code */
export const reachRemedy = (reason: string): string =>
  machineFaultIn(reason)?.remedy ?? 'Check the network and COPILOT_BASE_URL.';

/** Attempts and requests that failed for want of something on this machine, for the leader. */
export class MachineFaults {
  private readonly reported = new Signal<[code: string]>();

  constructor(private readonly leaderLink: LeaderLink) {
    leaderLink.onMessage((message) => {
      if (message.kind === 'machine_fault') this.reported.emit(message.code);
    });
  }

  /** @param failure contains the error code, if there is one */
  report(failure: string | null): void {
    const code = codeIn(failure ?? '');
    if (describeMachineFault(code) === null) return;
    this.leaderLink.send({ kind: 'machine_fault', code }, 'machine fault');
  }

  onReport(listener: (code: string) => void): void {
    this.reported.subscribe(listener);
  }
}
