import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { syntaxTreeAvailable } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { Parser } from '@prometheus-io/codemirror-promql/dist/cjs/parser';
import { LanguageType, promQLLanguage } from '@prometheus-io/codemirror-promql/dist/cjs/promql';
import { parse } from 'yaml';

const DEPLOY = join(__dirname, '../../deploy');
const promql = promQLLanguage(LanguageType.PromQL);

interface AlertRule {
  alert: string;
  expr: string;
}

export interface AlertRules {
  groups: { name: string; rules: AlertRule[] }[];
}

export const readAlertRules = (): AlertRules =>
  parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8')) as AlertRules;

export const dashboardText = (): string => readFileSync(join(DEPLOY, 'grafana/switchboard.json'), 'utf8');

/** All expressions of the alert rules and of the dashboard, with the variables of the dashboard filled in. */
export function allExpressions(): string[] {
  const rules = readAlertRules().groups.flatMap(({ rules: inGroup }) => inGroup.map(({ expr }) => expr));
  const { panels } = JSON.parse(dashboardText()) as { panels: { targets: { expr: string }[] }[] };
  const inPanels = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [...rules, ...inPanels.map((expr) => expr.replaceAll('$__rate_interval', '5m'))];
}

/** An editor leaves its text half parsed after 20 ms, which a busy machine may need for anything. */
function parsedState(expression: string): EditorState {
  for (;;) {
    const state = EditorState.create({ doc: expression, extensions: [promql] });
    if (syntaxTreeAvailable(state)) return state;
  }
}

/** What Prometheus's own parser and type checker find wrong. */
export function problemsOf(expression: string): string[] {
  const analyzed = new Parser(parsedState(expression));
  analyzed.analyze();
  return analyzed.getDiagnostics().map(({ message }) => message);
}

export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

/** The series that an expression selects. */
export function selectorsOf(expression: string): Selector[] {
  const selectors: Selector[] = [];
  promql.parser.parse(expression).iterate({
    enter: ({ name, from, to }) => {
      const text = expression.slice(from, to);
      if (name === 'VectorSelector') selectors.push({ metric: text.split('{')[0]!.trim(), matchers: [] });
      const matcher = /^(\w+)\s*(=~|!=|!~|=)\s*"(.*)"$/.exec(text);
      if (name !== 'UnquotedLabelMatcher' || matcher === null) return;
      const [, label = '', operator = '', value = ''] = matcher;
      selectors.at(-1)!.matchers.push({ label, operator, value });
    },
  });
  return selectors;
}
