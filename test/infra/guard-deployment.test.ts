import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const alarm = 'arn:aws:cloudwatch:eu-west-1:111111111111:alarm:CrmApi-HttpApiServerErrors';

const guardOutput = `<member><OutputKey>GuardAlarm</OutputKey><OutputValue>${alarm}</OutputValue></member>`;
const stackWith = (
  outputs: string,
) => `<member><StackName>CrmApi</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><CreationTime>2026-11-24T00:00:00Z</CreationTime>
  <Capabilities><member>CAPABILITY_IAM</member></Capabilities>
  <Parameters><member><ParameterKey>BootstrapVersion</ParameterKey><ParameterValue>/cdk</ParameterValue></member></Parameters>
  <Tags><member><Key>stage</Key><Value>default</Value></member></Tags><Outputs>${outputs}</Outputs></member>`;

/** CloudFormation, as far as a stack is described and updated. */
async function startCloudFormation(outputs: string) {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, answer) => {
    const form = new URLSearchParams(await text(request));
    asked.push(form);
    const action = String(form.get('Action'));
    const result = action === 'DescribeStacks' ? `<Stacks>${stackWith(outputs)}</Stacks>` : '<StackId>CrmApi</StackId>';
    answer.end(
      `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${result}</${action}Result></${action}Response>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** What the command prints, and the update that it asks for. */
async function guarded(input: string, outputs = guardOutput) {
  const { url, asked } = await startCloudFormation(outputs);
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const env = { ...process.env, ...credentials, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_CLOUDFORMATION: url };
  const args = ['infra/admin.ts', 'deployment', 'guard', input, '--stack', 'CrmApi'];
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  const { Version: _, ...update } = Object.fromEntries(asked.at(-1) ?? []);
  return { printed: JSON.parse(stdout), update };
}

const asBefore = {
  Action: 'UpdateStack',
  StackName: 'CrmApi',
  UsePreviousTemplate: 'true',
  'Parameters.member.1.ParameterKey': 'BootstrapVersion',
  'Parameters.member.1.UsePreviousValue': 'true',
  'Capabilities.member.1': 'CAPABILITY_IAM',
  'Tags.member.1.Key': 'stage',
  'Tags.member.1.Value': 'default',
};

test('an update of a stack adds only the alarm that CloudFormation watches', async () => {
  const { printed, update } = await guarded('{"minutes": 15}');
  expect(printed).toEqual({ stack: 'CrmApi', alarm, minutes: 15, statusBefore: 'UPDATE_COMPLETE' });
  expect(update).toEqual({
    ...asBefore,
    'RollbackConfiguration.RollbackTriggers.member.1.Arn': alarm,
    'RollbackConfiguration.RollbackTriggers.member.1.Type': 'AWS::CloudWatch::Alarm',
    'RollbackConfiguration.MonitoringTimeInMinutes': '15',
  });
});

test('nothing is watched any more when the guard is taken off, also where the alarm is gone', async () => {
  const { printed, update } = await guarded('{"off": true}', '');
  expect(printed).toEqual({ stack: 'CrmApi', alarm: null, minutes: 0, statusBefore: 'UPDATE_COMPLETE' });
  expect(update).toEqual({
    ...asBefore,
    'RollbackConfiguration.RollbackTriggers': '',
    'RollbackConfiguration.MonitoringTimeInMinutes': '0',
  });
});

test('a watch is no longer than the workflow that deploys leaves it', async () => {
  const workflow = readFileSync(join(root, '.github/workflows/deploy.yml'), 'utf8');
  const minutes = Number(/timeout-minutes: (\d+)/.exec(workflow)?.[1]);
  expect(minutes).toBe(60);
  await expect(guarded(`{"minutes": ${minutes / 2 + 1}}`)).rejects.toMatchObject({
    stderr: expect.stringContaining('minutes'),
  });
});
