import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { TransformFailure } from '../../contract/transform';
import { Log } from '../ground/log';
import { EvaluatingProcess } from './evaluating-process';
import type { TransformOutcome, TransformRequest } from './transform-messages';

/** More are evaluated with the others again. */
const MAX_QUICK = 500;

/**
 * Evaluates the expressions of all targets: those that were quick the last time in a process of their own, so that they do
 * not wait for one that misbehaves, or is being edited.
 */
@Injectable()
export class Transformer implements OnModuleDestroy {
  private readonly processes: Record<'quick' | 'other', EvaluatingProcess>;
  private readonly quick = new Set<string>();

  constructor(log: Log) {
    this.processes = { quick: new EvaluatingProcess(log), other: new EvaluatingProcess(log) };
  }

  /** @returns null if nothing is known of the outcome: a process cannot be started, or the daemon ends */
  async evaluate(request: TransformRequest): Promise<TransformOutcome | null> {
    const { expression, payload } = request;
    const process = this.processes[this.quick.has(expression) ? 'quick' : 'other'];
    const { outcome, isQuick } = await process.evaluate(request);
    this.quick.delete(expression);
    if (isQuick && payload !== null) this.quick.add(expression);
    const [first] = this.quick;
    if (this.quick.size > MAX_QUICK) this.quick.delete(first!);
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
