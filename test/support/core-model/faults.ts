/**
 * What happens at a commit: it fails, or the process is killed before or after it. On PostgreSQL also: the connection
 * breaks before it, or after it and before its answer.
 */
export type Fault = 'fails' | 'killed before' | 'killed after' | 'breaks before' | 'breaks after';

/** Whether nothing of the commit is stored, while the process goes on. */
export const isFailure = (fault: Fault) => fault === 'fails' || fault === 'breaks before';

/** The faults of a disk or a server: the next one happens at a certain commit from now on. */
export class Faults {
  /** In the present step. */
  happened: Fault | null = null;
  private next: { fault: Fault; commits: number } | null = null;

  constructor(private readonly onKilled: () => void) {}

  /** Whether a commit has failed, while the process goes on. */
  get hasFailed(): boolean {
    return this.happened !== null && isFailure(this.happened);
  }

  plan(fault: Fault, commits: number): void {
    this.next = { fault, commits };
  }

  /** What was planned and has not happened does not happen. */
  cancel(): void {
    this.next = null;
  }

  /** To be called at each commit. */
  take(): Fault | null {
    if (this.next === null || (this.next.commits -= 1) > 0) return null;
    this.happened = this.next.fault;
    this.next = null;
    if (this.happened.startsWith('killed')) this.onKilled();
    return this.happened;
  }
}
