import { LoadingPanels } from '../../components/loading-rows';
import classes from '../../components/screen.module.css';

/** What stands in place of a screen whose code is being loaded; what is above it stays, such as the note of a lost connection. */
export function ScreenPending() {
  return (
    <div className={classes.screen}>
      <LoadingPanels />
    </div>
  );
}
