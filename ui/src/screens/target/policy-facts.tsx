import type { Target } from '../../../../src/contract/target';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { formatJson } from '../../format/json';
import {
  breakerInWords,
  DUPLICATES_WORDS,
  headersInWords,
  orderInWords,
  paceInWords,
  retriedInWords,
  tlsInWords,
} from '../../labels/policy-labels';
import { scheduleInWords } from '../../labels/schedule-labels';
import { eventsInWords } from '../../labels/target-labels';
import classes from './policy-facts.module.css';

/** What a target takes and how it is sent to, as it is set. */
export function PolicyFacts({ target }: { target: Target }) {
  const { events, filter, headers, tls, policy } = target;
  return (
    <Facts>
      <Fact name="Types">
        <Mono>{eventsInWords(events, Infinity)}</Mono>
      </Fact>
      <Fact name="Filter">
        {filter === null ? (
          'none: every event of these types'
        ) : (
          <pre className={classes.filter}>{formatJson(filter)}</pre>
        )}
      </Fact>
      <Fact name="Headers">{headersInWords(headers)}</Fact>
      <Fact name="Certificates">{tlsInWords(tls)}</Fact>
      <Fact name="Pace">{paceInWords(policy)}</Fact>
      <Fact name="Order">{orderInWords(policy)}</Fact>
      <Fact name="Retries">
        {scheduleInWords(policy)}
        {retriedInWords(policy).length > 0 && <p>Tried again {retriedInWords(policy).join(', ')}.</p>}
      </Fact>
      <Fact name="Breaker">{breakerInWords(policy)}</Fact>
      <Fact name="Duplicates">{DUPLICATES_WORDS[policy.duplicates].word}</Fact>
    </Facts>
  );
}
