import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../../api/session';

/** How to get an event: at Co-Pilot, or in the sandbox that stands for it. */
export function FirstEventHint() {
  const { data: session } = useQuery(sessionQuery);
  return session?.sandbox === true ? (
    <>
      Send one in the <Link to="/sandbox">Sandbox</Link>. It appears here within a second.
    </>
  ) : (
    <>
      Change something in Co&#8209;Pilot, a deal’s status for example. The event appears here within a second.
    </>
  );
}
