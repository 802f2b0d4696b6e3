import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const alarm = 'arn:aws:cloudwatch:eu-west-1:111111111111:alarm:CrmApi-HttpApiServerErrors';

const outputs = `<member><OutputKey>GuardAlarm</OutputKey><OutputValue>${alarm}</OutputValue></member>`;
const stack = `<member><StackName>CrmApi</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><CreationTime>2026-11-24T00:00:00Z</CreationTime>
  <Capabilities><member>CAPABILITY_IAM</member></Capabilities>
  <Parameters><member><ParameterKey>BootstrapVersion</ParameterKey><ParameterValue>/cdk</ParameterValue></member></Parameters>
  <Tags><member><Key>stage</Key><Value>default</Value></member></Tags><Outputs>${outputs}</Outputs></member>`;

/** CloudFormation, as far as a stack is described and updated. */
async function startCloudFormation() {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, answer) => {
    const form = new URLSearchParams(await text(request));
    asked.push(form);
    const action = String(form.get('Action'));
    const result = action === 'DescribeStacks' ? `<Stacks>${stack}</Stacks>` : '<StackId>CrmApi</StackId>';
    answer.end(
      `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${result}</${action}Result></${action}Response>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('a stack is updated to nothing but what CloudFormation watches', async () => {
  const { url, asked } = await startCloudFormation();
  const env = { ...process.env, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_CLOUDFORMATION: url };
  const args = ['infra/admin.ts', 'deployment', 'guard', '{"minutes": 15}', '--stack', 'CrmApi'];
  const { stdout } = await run(process.execPath, args, { cwd: root, env });
  expect(JSON.parse(stdout)).toEqual({ stack: 'CrmApi', alarm, minutes: 15, statusBefore: 'UPDATE_COMPLETE' });
  const { Version: _, ...update } = Object.fromEntries(asked.at(-1) ?? []);
  expect(update).toEqual({
    Action: 'UpdateStack',
    StackName: 'CrmApi',
    UsePreviousTemplate: 'true',
    'Parameters.member.1.ParameterKey': 'BootstrapVersion',
    'Parameters.member.1.UsePreviousValue': 'true',
    'Capabilities.member.1': 'CAPABILITY_IAM',
    'Tags.member.1.Key': 'stage',
    'Tags.member.1.Value': 'default',
    'RollbackConfiguration.RollbackTriggers.member.1.Arn': alarm,
    'RollbackConfiguration.RollbackTriggers.member.1.Type': 'AWS::CloudWatch::Alarm',
    'RollbackConfiguration.MonitoringTimeInMinutes': '15',
  });
});

test('the local system has nothing to roll back', async () => {
  const failed = run(process.execPath, ['infra/admin.ts', 'deployment', 'guard'], {
    cwd: root,
    env: { ...process.env, DATA_DIR: inject('dataDir') },
  });
  await expect(failed).rejects.toMatchObject({ stderr: expect.stringMatching(/--stack/) });
});
