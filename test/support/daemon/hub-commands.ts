import type { Scope, TokenCreated } from '../../../src/contract/token';
import { runInProcess } from './run-in-process';
import type { CommandResult } from './run-command';
import type { Switchboard } from './switchboard';

/** Commands on a hub in this process, with a token of its own for each scope. */
export class HubCommands {
  private readonly tokens = new Map<Scope, string>();

  constructor(private readonly hub: Pick<Switchboard, 'adminToken' | 'ask' | 'origin'>) {}

  /** What a command needs to find the hub. @param token the secret, or the only scope that it has; by default the admin token */
  async environment(token?: Scope | 'wrong') {
    const secret =
      token === undefined ? this.hub.adminToken : token === 'wrong' ? token : await this.token(token);
    return { SWITCHBOARD_HUB: this.hub.origin, SWITCHBOARD_TOKEN: secret };
  }

  /** Runs a command. @param token as above */
  async run(args: readonly string[], token?: Scope | 'wrong'): Promise<CommandResult> {
    return runInProcess(args, await this.environment(token));
  }

  /** Runs a command with `--json`. @returns the line that it printed @throws Error if it fails */
  async json<Result>(...args: string[]): Promise<Result> {
    const { code, out, err } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as Result;
  }

  private async token(scope: Scope): Promise<string> {
    const known = this.tokens.get(scope);
    if (known !== undefined) return known;
    const { json } = await this.hub.ask('/tokens', {
      method: 'POST',
      json: { name: scope, scopes: [scope] },
    });
    const { secret } = json as TokenCreated;
    this.tokens.set(scope, secret);
    return secret;
  }
}
