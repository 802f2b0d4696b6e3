import { CloudFormationClient, DescribeStacksCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';

const Guard = v.object({ minutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(180)), 10) });

/**
 * From now on CloudFormation rolls a deployment back when an alarm of the API rings during it, or within so many minutes afterwards. It
 * keeps what it watches with the stack ("rollback triggers" in its user guide), so `cdk deploy`, which cannot say it, need not. `minutes` of 0
 * watch during the deployment alone.
 */
async function guard({ minutes }: v.InferOutput<typeof Guard>) {
  const StackName = process.env['STACK_NAME'];
  const alarm = process.env['GUARD_ALARM'];
  if (!StackName || !alarm) throw new Error('what is watched is a deployed stack: --stack <name>');
  const cloudFormation = new CloudFormationClient({});
  const { Stacks: [found] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
  if (!found) throw new Error(`there is no stack ${StackName}`);
  const { Parameters = [], Capabilities, Tags, StackStatus } = found;
  await cloudFormation.send(
    new UpdateStackCommand({
      StackName,
      UsePreviousTemplate: true,
      Parameters: Parameters.map(({ ParameterKey }) => ({ ParameterKey, UsePreviousValue: true })),
      Capabilities,
      Tags,
      RollbackConfiguration: {
        RollbackTriggers: [{ Arn: alarm, Type: 'AWS::CloudWatch::Alarm' }],
        MonitoringTimeInMinutes: minutes,
      },
    }),
  );
  return { stack: StackName, alarm, minutes, statusBefore: StackStatus };
}

export const commands = { guard: { input: Guard, run: guard } };
