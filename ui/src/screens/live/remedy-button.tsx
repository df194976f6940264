import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CONSENT_ADDRESS } from '../../api/connection';
import { useTargetActs } from '../../components/use-target-acts';
import type { Target } from '../../../../src/contract/target';
import type { Remedy } from './find-attention';

/** The act that answers a finding. */
export function RemedyButton({ remedy }: { remedy: Remedy }) {
  if (remedy.act === 'resume') return <Resume target={remedy.target} />;
  if (remedy.act === 'look-elsewhere') return null;
  if (remedy.act === 'consent') {
    return (
      <Button component="a" href={CONSENT_ADDRESS}>
        Connect
      </Button>
    );
  }
  if (remedy.act === 'look-at-target') {
    const { id } = remedy.target;
    return (
      <Button renderRoot={(props) => <Link to="/targets/$id" params={{ id }} {...props} />}>Look</Button>
    );
  }
  if (remedy.act === 'show-dead') {
    return (
      <Button renderRoot={(props) => <Link to="/" search={{ status: 'dead' }} {...props} />}>Show</Button>
    );
  }
  if (remedy.act === 'make-target') {
    return <Button renderRoot={(props) => <Link to="/targets/new" {...props} />}>Add a target</Button>;
  }
  return <Button renderRoot={(props) => <Link to="/connection" {...props} />}>Look</Button>;
}

function Resume({ target }: { target: Target }) {
  const { resume } = useTargetActs(target);
  return (
    <Button onClick={() => resume.mutate()} loading={resume.isPending}>
      Resume
    </Button>
  );
}
