import type { TransformOutcome } from './transform-messages';

const QUICK_MS = 100;
const MAX_EXPRESSIONS = 500;

/** The expressions whose last evaluation was quick. */
export class QuickExpressions {
  private readonly texts = new Set<string>();

  has(expression: string): boolean {
    return this.texts.has(expression);
  }

  /** @param outcome of its last evaluation; one that fails is not quick */
  note(expression: string, outcome: TransformOutcome): void {
    this.texts.delete(expression);
    if ('failure' in outcome || outcome.tookMs > QUICK_MS) return;
    this.texts.add(expression);
    const [oldest] = this.texts;
    if (this.texts.size > MAX_EXPRESSIONS) this.texts.delete(oldest!);
  }
}
