import type { Ledger, LedgerFinding, LedgerRule } from '../../../contract/ledger';
import { readNames, type Names } from './names';
import type { Read } from './read';
import { REMEDIES } from './remedies';

/** How many findings of a rule are listed; the rest is counted. */
const MAX_LISTED_PER_RULE = 50;

/** The findings of a consistency check. */
export class Findings {
  private readonly listed: LedgerFinding[] = [];
  private readonly byRule = new Map<LedgerRule, number>();
  private count = 0;

  private constructor(readonly names: Names) {}

  static async create(read: Read): Promise<Findings> {
    return new Findings(await readNames(read));
  }

  add(rule: LedgerRule, sentence: string): void {
    const known = this.byRule.get(rule) ?? 0;
    this.byRule.set(rule, known + 1);
    this.count += 1;
    if (known < MAX_LISTED_PER_RULE) this.listed.push({ rule, sentence, remedy: REMEDIES[rule] });
  }

  /** @param at ms since 1970 */
  report(checked: Ledger['checked'], at: number): Ledger {
    const { count, listed } = this;
    const checkedAt = new Date(at).toISOString();
    return { checked_at: checkedAt, balanced: count === 0, checked, found: count, findings: listed };
  }
}
