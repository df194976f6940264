import { shareHub } from './overview/hub';
import { overviewScreen } from './overview/screen';
import { chart } from './overview/chart';
import { attentionPanel } from './overview/attention';
import { overviewShell } from './overview/shell';

shareHub();

describe('the overview', overviewScreen);
describe('the chart of the overview', chart);
describe('what needs attention', attentionPanel);
describe('the overview, while it is open', overviewShell);
