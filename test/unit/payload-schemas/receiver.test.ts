import Ajv2020 from 'ajv/dist/2020';
import { exportJsonSchema } from '../../../src/relay/payload-schemas/export-json-schema';
import { exportTypeScript } from '../../../src/relay/payload-schemas/export-typescript';
import { PayloadExaminer } from '../../../src/relay/payload-schemas/examine-payload';
import { newSchema } from '../../../src/relay/payload-schemas/schema-node';
import { systemClock } from '../../../src/sandbox/clock';
import { Crm } from '../../../src/sandbox/crm/crm';
import { WorkingDay } from '../../../src/sandbox/crm/working-day';
import { randomGenerator } from '../../support/random-generator';
import { compileStrictly, run } from './compile-strictly';

interface Payload {
  event: string;
  data: object;
}

const EVENTS = 7_000;

/** What the sandbox sends on a day. */
function sandboxDay(): Payload[] {
  const next = randomGenerator(1);
  const random = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(next() * 256)));
  const day = new WorkingDay(new Crm(() => 'http://copilot', systemClock, random), random);
  return Array.from({ length: EVENTS }, () => {
    const sent = { ...day.nextEvent(), timestamp: '2026-11-27T08:00:00.000Z', webhook_id: 'wh_1' };
    return JSON.parse(JSON.stringify(sent)) as Payload;
  });
}

function learn(payloads: readonly Payload[]) {
  const examiners = new Map<string, PayloadExaminer>();
  for (const [seq, payload] of payloads.entries()) {
    const examiner = examiners.get(payload.event) ?? new PayloadExaminer(newSchema(seq, 0));
    examiners.set(payload.event, examiner);
    examiner.examine(payload, seq, 0);
  }
  return new Map([...examiners].map(([type, { schema }]) => [type, schema.root]));
}

/** Without a case for each event, it does not compile. */
const RECEIVER = `
  function receive(event: CopilotEvent): string {
    switch (event.event) {
      case 'contact.created':
      case 'contact.updated':
        return event.data.name.toUpperCase() + event.data.email.toLowerCase();
      case 'deal.created':
      case 'deal.updated':
      case 'deal.status_changed':
      case 'deal.deleted':
        return event.data.name.trim() + event.data._links.self.trim() + event.data.status_id.toFixed();
      case 'task.created':
      case 'task.completed':
        return event.data.title.trim() + event.data.due_at.slice(0, 10) + event.data.deal_id.toFixed();
      case 'scenario.executed':
        return event.data.name.trim() + event.data.scenario_id.toFixed();
      case 'agent.triggered':
        return event.data.trigger.trim() + event.data.agent_id.toFixed();
    }
  }
`;

it('a receiver with the exported types handles what the sandbox sends, all of which the exported schema accepts', () => {
  const day = sandboxDay();
  const [known, later] = [day.slice(0, -1_000), day.slice(-1_000)];
  const schemas = learn(known);
  const exported = exportTypeScript(schemas);
  expect(compileStrictly(exported + RECEIVER)).toEqual([]);
  expect(compileStrictly(exported + RECEIVER.replace("case 'agent.triggered':", ''))).not.toEqual([]);
  const receive = run(`${exported}${RECEIVER} return receive;`) as (event: Payload) => string;
  expect(day.map(receive).filter((text) => !/\w/.test(text))).toEqual([]);
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(exportJsonSchema(schemas)) as object,
  );
  expect(later.filter((payload) => !isValid(payload))).toEqual([]);
});
