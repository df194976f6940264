import type { Target } from '../../../src/contract/target';
import { prospectOf } from '../../../ui/src/labels/prospect-labels';

const target = (states: string[], ordering = 'none') =>
  ({
    disabled: null,
    policy: { ordering },
    health: { states, attempts: 8, failed: 8 },
  }) as unknown as Target;

const shown = (...given: Parameters<typeof target>) => {
  const { state, why } = prospectOf(target(...given));
  return [state.tone, state.label, why];
};

it('says what a target does with an event at present, in amber unless it simply receives it', () => {
  expect(prospectOf(undefined).state.label).toBe('Receives it');
  expect(shown(['active'])).toEqual(['ok', 'Receives it', undefined]);
  const behind = 'Deliveries wait behind a dead letter until it is retried or discarded.';
  expect(shown(['blocked'], 'strict')).toEqual(['warn', 'Queues it', behind]);
  expect(shown(['failing', 'blocked'], 'entity')).toEqual(['warn', 'May queue it', behind]);
  expect(shown(['behind'])).toEqual([
    'warn',
    'Receives it later',
    'Deliveries have been due for more than a minute.',
  ]);
  expect(shown(['failing'])).toEqual([
    'warn',
    'Likely to fail',
    'Every attempt in the last hour failed (8).',
  ]);
});
