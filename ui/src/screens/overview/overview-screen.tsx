import { Screen } from '../../components/screen';
import { Attention } from './attention';
import { VitalSigns } from './vital-signs';

/** The first screen: is all well, and what wants a hand. */
export function OverviewScreen() {
  return (
    <Screen title="Overview">
      <Attention />
      <VitalSigns />
    </Screen>
  );
}
