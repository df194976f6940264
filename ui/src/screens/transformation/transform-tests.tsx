import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TransformTest, TransformTestResults } from '@contract/transform';
import { transformTestsQuery } from '../../api/transforms';
import { ErrorNote } from '../../components/error-note';
import { Panel, PanelText } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import type { StateLabel } from '../../labels/state-label';
import { failureLabel } from './event-result';
import classes from './transformation.module.css';

const PASSED: StateLabel = { tone: 'ok', label: 'Passes', description: 'The output is what is expected' };
const FAILED: StateLabel = { tone: 'bad', label: 'Fails', description: 'The output is not what is expected' };

interface TransformTestsProps {
  target: string;
  made: { expression: string; content_type: string };
  tests: readonly TransformTest[];
  setTests: (tests: TransformTest[]) => void;
}

/** The tests beside the expression, with their results while it is typed. */
export function TransformTests({ target, made, tests, setTests }: TransformTestsProps) {
  const query = useQuery({
    ...transformTestsQuery(target, made, tests),
    enabled: tests.length > 0 && made.expression !== '',
  });
  return (
    <Panel title="Tests" flush>
      {tests.length === 0 && <PanelText>None yet. They are run whenever the expression is saved.</PanelText>}
      {query.error !== null && <ErrorNote error={query.error} />}
      <ul>
        {tests.map(({ name }, i) => {
          const result = query.data?.data[i];
          return (
            <li key={`${i} ${name}`} className={classes.test}>
              <span className={classes.name}>{name}</span>
              {result?.name === name && <StateBadge state={result.ok ? PASSED : FAILED} />}
              <ActionIcon
                aria-label={`Remove the test ${name}`}
                onClick={() => setTests(tests.filter((_, at) => at !== i))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
              {result?.ok === false && <p className={classes.why}>{whyOf(result)}</p>}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function whyOf({ error, differences = [] }: TransformTestResults['data'][number]): string {
  if (error !== undefined) return failureLabel(error);
  return differences
    .map(({ path, expected, output }) => `${path || 'It'}: ${textOf(output)} in place of ${textOf(expected)}`)
    .join('; ');
}

const textOf = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
