import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TransformPreview, TransformTest, TransformTestResults } from '@contract/transform';
import { change } from './request';

/** The parts of a transformation that make the body. */
interface Expression {
  expression: string;
  content_type: string;
}

/** What an expression makes of a stored event. */
export const transformPreviewQuery = (made: Expression, name: string, event: string) =>
  queryOptions({
    queryKey: ['transform-preview', made, name, event],
    queryFn: () =>
      change<TransformPreview>('POST', '/targets/preview/transform', { ...made, name, event_id: event }),
    placeholderData: keepPreviousData,
  });

/** Runs tests of an expression, which need not be saved. */
export const runTests = (
  target: string,
  made: Expression,
  tests: readonly TransformTest[],
): Promise<TransformTestResults> =>
  change('POST', `/targets/${encodeURIComponent(target)}/transform/test`, { ...made, tests });

export const transformTestsQuery = (target: string, made: Expression, tests: readonly TransformTest[]) =>
  queryOptions({
    queryKey: ['transform-tests', target, made, tests],
    queryFn: () => runTests(target, made, tests),
    placeholderData: keepPreviousData,
  });
