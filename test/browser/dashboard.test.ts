import { shareHub } from './dashboard/hub';
import { shell } from './dashboard/shell';
import { commandPalette } from './dashboard/command-palette';
import { copying } from './dashboard/copying';

shareHub();

describe('the dashboard', shell);
describe('the command palette', commandPalette);
describe('copying', copying);
