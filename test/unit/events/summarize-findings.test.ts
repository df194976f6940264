import { CANCELLED, type TargetFinding } from '../../../src/relay/events/explain/explain-delivery';
import { summarizeFindings } from '../../../src/relay/events/explain/summarize-findings';

const at = (name: string, outcome: TargetFinding['outcome'], brief: string) => ({
  name,
  outcome,
  brief,
  reason: '',
});

describe('the summary of an event', () => {
  it('names the targets for which it was cancelled, so that the others are not all', () => {
    const delivered = ['a', 'b'].map((name) => at(name, 'delivered', 'HTTP 200'));
    const filtered = at('c', 'not_sent', 'filtered out');
    expect(summarizeFindings([...delivered, filtered])).toBe('Delivered to all 2 targets.');
    const cancelled = ['d', 'e'].map((name) => at(name, 'not_sent', CANCELLED));
    expect(summarizeFindings([...delivered, filtered, ...cancelled])).toBe(
      'Delivered to 2 targets. Cancelled for d, e.',
    );
    expect(summarizeFindings(cancelled)).toBe('Not sent to any target: cancelled.');
  });
});
