import type { Ledger, LedgerFinding, LedgerRule } from '../../../contract/ledger';
import { readNames, type Names } from './names';
import type { Read } from './read';
import { REMEDIES } from './remedies';

/** Findings of one rule that are named; the rest is counted. */
const NAMED = 50;

/** What a check of the books finds. */
export class Findings {
  private readonly named: LedgerFinding[] = [];
  private readonly byRule = new Map<LedgerRule, number>();
  private count = 0;

  private constructor(readonly names: Names) {}

  static async begin(read: Read): Promise<Findings> {
    return new Findings(await readNames(read));
  }

  add(rule: LedgerRule, sentence: string): void {
    const known = this.byRule.get(rule) ?? 0;
    this.byRule.set(rule, known + 1);
    this.count += 1;
    if (known < NAMED) this.named.push({ rule, sentence, remedy: REMEDIES[rule] });
  }

  /** @param at ms since 1970 */
  report(checked: Ledger['checked'], at: number): Ledger {
    const { count, named } = this;
    const checkedAt = new Date(at).toISOString();
    return { checked_at: checkedAt, balanced: count === 0, checked, found: count, findings: named };
  }
}
