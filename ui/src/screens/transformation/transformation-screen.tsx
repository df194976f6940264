import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { targetQuery } from '../../api/targets';
import { BackLink } from '../../components/back-link';
import { PendingData } from '../../components/pending-data';
import { Screen } from '../../components/screen';
import { RetryFailed } from './retry-failed';
import { TransformEditor } from './transform-editor';

const route = getRouteApi('/signed-in/targets/$id/transformation');

/** The expression of a target, what it makes of stored events, and its tests. */
export function TransformationScreen() {
  const { id } = route.useParams();
  const query = useQuery(targetQuery(id));
  const { data: target } = query;
  return (
    <Screen
      title="Transformation"
      above={
        <BackLink to="/targets/$id" params={{ id }}>
          {target?.name ?? 'Target'}
        </BackLink>
      }
      actions={<RetryFailed target={id} />}
    >
      {target === undefined ? (
        <PendingData query={query} />
      ) : (
        <TransformEditor key={target.id} target={target} />
      )}
    </Screen>
  );
}
