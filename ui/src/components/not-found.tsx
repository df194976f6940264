import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Screen } from './screen';

/** Shown for unknown URLs. */
export function NotFound() {
  return (
    <Screen title="Page not found" lead="No screen has this address. Check it for typos.">
      <div>
        <Button renderRoot={(props) => <Link to="/" {...props} />}>Go to Overview</Button>
      </div>
    </Screen>
  );
}
