import type { LookupAddress } from 'node:dns';
import { inHostsFile } from './hosts-file';
import { LookupError, queryAddresses } from './query-addresses';
import { namesToAsk, readSearchList } from './search-list';
import { SystemLookup } from './system-lookup';

/** Name servers get no longer for a name, however often it is to be completed; the system gets as much after them. */
const WITHIN_MS = 5_000;

/** For how long an answer holds: as its sender says, within bounds; or as suits where nobody says. */
const LEAST_MS = 1_000;
const MOST_MS = 30_000;
const SYSTEM_MS = 10_000;
const HOSTS_FILE_MS = 5_000;
const NO_SUCH_NAME_MS = 5_000;
const UNKNOWN_MS = 1_000;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** What is known of a name, and for how many ms. */
export interface Answer {
  found: LookupAddress[] | LookupError;
  forMs: number;
}

/** Finds the addresses of a name: in the hosts file, by the name servers, and where these know nothing, by the system. */
export class FindAddresses {
  private readonly system = new SystemLookup();

  /** @param servers asked in place of the machine's name servers, and of the system */
  constructor(private readonly servers: readonly string[] | null) {}

  /** @param name in lower case */
  async find(name: string): Promise<Answer> {
    const complete = name.replace(/\.$/, '');
    const listed = await inHostsFile(complete);
    if (listed.length > 0) return { found: listed, forMs: HOSTS_FILE_MS };
    // RFC 6761: no name server is asked for these.
    if (/(^|\.)localhost$/.test(complete)) return { found: LOOPBACK, forMs: HOSTS_FILE_MS };
    if (/(^|\.)invalid$/.test(complete)) return unknown('ENOTFOUND', name);

    const answer = await this.query(name);
    const { found } = answer;
    if (this.servers !== null || !(found instanceof LookupError)) return answer;
    const isLocal = !complete.includes('.') || complete.endsWith('.local');
    if (found.code !== 'ENOTFOUND' && !isLocal) return answer;
    const known = await this.system.find(complete, WITHIN_MS);
    return known.length === 0 ? answer : { found: known, forMs: SYSTEM_MS };
  }

  private async query(name: string): Promise<Answer> {
    const searchList = this.servers === null ? await readSearchList() : { domains: [], dots: 1 };
    const deadline = performance.now() + WITHIN_MS;
    let code: LookupError['code'] = 'ENOTFOUND';
    for (const one of namesToAsk(name, searchList)) {
      const answer = await queryAddresses(one, Math.max(1, deadline - performance.now()), this.servers);
      if (!(answer instanceof LookupError))
        return {
          found: answer.addresses,
          forMs: Math.min(Math.max(answer.ttlS * 1_000, LEAST_MS), MOST_MS),
        };
      if (answer.code === 'EAI_AGAIN') code = 'EAI_AGAIN';
    }
    return unknown(code, name);
  }
}

const unknown = (code: LookupError['code'], name: string): Answer => ({
  found: new LookupError(code, name),
  forMs: code === 'ENOTFOUND' ? NO_SUCH_NAME_MS : UNKNOWN_MS,
});
