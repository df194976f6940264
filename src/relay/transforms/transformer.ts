import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { TransformFailure } from '../../contract/transform';
import { Log } from '../ground/log';
import { EvaluatingProcess } from './evaluating-process';
import { QuickExpressions } from './quick-expressions';
import type { TransformOutcome, TransformRequest } from './transform-messages';

/**
 * Evaluates the expressions of all targets: those that were quick the last time in a process of their own, so that they do
 * not wait for one that misbehaves, or is being edited.
 */
@Injectable()
export class Transformer implements OnModuleDestroy {
  private readonly processes: Record<'quick' | 'other', EvaluatingProcess>;
  private readonly quick = new QuickExpressions();

  constructor(log: Log) {
    this.processes = { quick: new EvaluatingProcess(log), other: new EvaluatingProcess(log) };
  }

  /** @returns null if nothing is known of the outcome */
  async evaluate(request: TransformRequest): Promise<TransformOutcome | null> {
    const { expression, payload } = request;
    const process = this.processes[this.quick.has(expression) ? 'quick' : 'other'];
    const outcome = await process.evaluate(request);
    if (outcome !== null && payload !== null) this.quick.note(expression, outcome);
    return outcome;
  }

  /** @returns why an expression cannot be compiled; null if it can, or nothing is known */
  async check(expression: string): Promise<TransformFailure | null> {
    const event = { id: '', seq: 0, type: '', entity: null, received_at: '' };
    const request = { expression, contentType: '', payload: null, event, target: { name: '' } };
    const outcome = await this.evaluate(request);
    return outcome !== null && 'failure' in outcome ? outcome.failure : null;
  }

  onModuleDestroy(): void {
    for (const process of Object.values(this.processes)) process.end();
  }
}
