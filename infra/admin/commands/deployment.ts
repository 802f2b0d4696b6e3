import { CloudFormationClient, DescribeStacksCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import * as v from 'valibot';

/** A deployment from GitHub has an hour, as the session of its role has: the watch leaves half of it to the deployment. */
const maxMinutes = 30;

const Guard = v.object({
  minutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxMinutes)), 10),
  off: v.optional(v.boolean(), false),
});

/**
 * From now on CloudFormation rolls a deployment back when an alarm of the API rings during it, or within so many minutes afterwards. It
 * keeps what it watches with the stack ("rollback triggers" in its user guide), so `cdk deploy`, which cannot say it, need not. `minutes` of 0
 * watch during the deployment alone. With `off` it watches nothing any more: it fails every deployment that does not find the alarm.
 */
async function guard({ minutes, off }: v.InferOutput<typeof Guard>) {
  const StackName = process.env['STACK_NAME'];
  const alarm = process.env['GUARD_ALARM'];
  if (!StackName || !(alarm || off)) throw new Error('name the deployed stack with --stack <name>');
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
      RollbackConfiguration: off
        ? { RollbackTriggers: [], MonitoringTimeInMinutes: 0 }
        : { RollbackTriggers: [{ Arn: alarm, Type: 'AWS::CloudWatch::Alarm' }], MonitoringTimeInMinutes: minutes },
    }),
  );
  const watched = off ? { alarm: null, minutes: 0 } : { alarm, minutes };
  return { stack: StackName, ...watched, statusBefore: StackStatus };
}

export const commands = { guard: { input: Guard, run: guard } };
