import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { allExpressions, dashboardText, problemsOf, readAlertRules, selectorsOf } from '../../support/promql';

const root = join(__dirname, '../../..');

/** The format of rule files, as Prometheus documents it. */
const duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/);
const rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Switchboard[A-Z]\w+$/),
          expr: z.string(),
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});

describe('the alert rules', () => {
  it('have the format of Prometheus, and a name each', () => {
    const { groups } = rules.parse(readAlertRules());
    const names = groups.flatMap(({ rules: inGroup }) => inGroup.map(({ alert }) => alert));
    expect(names.length).toBeGreaterThan(10);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are all described in docs/metrics.md, which names no other', () => {
    const described = readFileSync(join(root, 'docs/metrics.md'), 'utf8').match(/`Switchboard[A-Z]\w+`/g);
    const names = readAlertRules().groups.flatMap((group) => group.rules.map(({ alert }) => `\`${alert}\``));
    expect(described).toEqual(names);
  });
});

it.each(allExpressions())('%s counts no hub once for each of its daemons', (expression) => {
  // A disk belongs to one daemon.
  const ofHub = selectorsOf(expression).filter(({ metric }) => !/^(up$|switchboard_disk)/.test(metric));
  expect(expression.split('max without (instance) (').length - 1).toBeGreaterThanOrEqual(ofHub.length);
});

it('the dashboard takes its instances from a metric that every hub has', () => {
  expect(dashboardText()).not.toMatch(/label_values\(switchboard_(disk|last|token)/);
});

it.each(allExpressions())("Prometheus's parser accepts %s", (expression) => {
  expect(problemsOf(expression)).toEqual([]);
  expect(selectorsOf(expression).length).toBeGreaterThan(0);
});

it.each([
  ['rate(switchboard_notifications_total) > 0', 'expected type matrix'],
  ['sum by (target (switchboard_backlog)', 'unexpected expression'],
])("Prometheus's parser rejects %s", (expression, problem) => {
  expect(problemsOf(expression).join()).toContain(problem);
});

describe("Grafana's dashboard", () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-dashboard-'));
  beforeAll(() => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      skipLibCheck: true,
      types: [],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, files: ['dashboard.ts'] }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What the compiler says to a dashboard of Grafana's type, in which enumerations are written as their values. */
  const errorsOf = (dashboard: string) => {
    writeFileSync(
      join(folder, 'dashboard.ts'),
      `import type { Dashboard } from '@grafana/schema';
       type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
       export const dashboard: Plain<Dashboard> = ${dashboard};`,
    );
    try {
      const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
      execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  it('has the type that Grafana publishes', () => {
    expect(errorsOf(dashboardText())).toBe('');
  });

  it.each([
    ['"absolute"', '"relative"'],
    ['"gridPos"', '"gridPosition"'],
    ['"schemaVersion": 39', '"schemaVersion": "39"'],
  ])('would be rejected with %s replaced by %s', (before, after) => {
    const changed = dashboardText().replace(before, after);
    expect(changed).not.toBe(dashboardText());
    expect(errorsOf(changed)).toContain('error TS');
  });

  it('refers to its own data source variable everywhere, and has an id for each panel', () => {
    const { panels } = JSON.parse(dashboardText()) as { panels: { id: number }[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const sources = dashboardText().match(/"uid": "[^"]+"/g) ?? [];
    expect(new Set(sources)).toEqual(new Set(['"uid": "switchboard"', '"uid": "${datasource}"']));
  });
});
